//! Shows the story of the hosts and their events, or works for it.
//!
//! With a server running (`interlock serve`): `cargo run -p interlock-examples --bin host_events`.
//! For more workers, in other terminals: `… --bin host_events -- --work w2`.

use clap::Parser;
use interlock_examples::args::Args;
use interlock_examples::ask::{Outcome, set_kinds};
use interlock_examples::host_events::worker::worker;
use interlock_examples::host_events::{kinds, traffic};
use interlock_examples::show;

#[tokio::main]
async fn main() -> Outcome<()> {
    let args = Args::parse();
    if let Some(name) = &args.work {
        return Ok(worker(&args, name)?.run().await?);
    }
    let client = args.client()?;
    set_kinds(&client, kinds::all(args.speed)).await?;
    show(worker(&args, "w1")?, traffic::tell(&client, args.speed)).await
}
