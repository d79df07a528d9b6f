//! Options of every list.

use clap::Args;
use interlock_api::page::PageQuery;

/// Which page of a list.
#[derive(Args)]
pub struct PageArgs {
    /// Go on where the last page ended
    #[arg(long)]
    cursor: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 100)]
    limit: u32,
}

impl PageArgs {
    /// As the wire has it.
    pub fn query(self) -> PageQuery {
        PageQuery {
            cursor: self.cursor,
            limit: Some(self.limit),
        }
    }
}
