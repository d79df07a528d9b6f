//! Shows the story of the shops, or works for it.
//!
//! With a server running (`interlock serve`): `cargo run -p interlock-examples --bin shop_sync`.
//! For more workers meanwhile, in other terminals: `… --bin shop_sync -- --work w2`.

use clap::Parser;
use interlock_examples::args::Args;
use interlock_examples::ask::{Outcome, set_kinds};
use interlock_examples::shop_sync::api::Shops;
use interlock_examples::shop_sync::worker::worker;
use interlock_examples::shop_sync::{kinds, traffic};
use interlock_examples::show;

#[derive(Parser)]
struct ShopArgs {
    #[command(flatten)]
    args: Args,
    /// Where the shops are.
    #[arg(long, default_value = "127.0.0.1:7430")]
    shops: String,
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let ShopArgs { args, shops } = ShopArgs::parse();
    let client = args.client()?;
    if let Some(name) = &args.work {
        return Ok(worker(&args, &shops, name)?.run().await?);
    }
    kinds::set_quota(&client, args.speed).await?;
    set_kinds(&client, kinds::all(args.speed)).await?;
    let (open, shops) = Shops::open(&shops, args.speed).await?;
    let worker = worker(&args, &shops.to_string(), "w1")?;
    show(worker, traffic::tell(&client, &open)).await
}
