//! Rust client of Interlock: a typed call for every route, and workers in a dozen lines.
//!
//! [`Client`] knows where the servers are and who is asking; one file per noun has the calls. A call
//! is repeated if the [`Error`] itself says that this may help and can't do a thing twice; [`Retry`]
//! sets the patience. [`Client::events`] follows what happens. [`worker::Worker`] does the work.
//!
//! To submit:
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use interlock_api::claim::Claim;
//! use interlock_api::submission::Submission;
//! use interlock_client::Client;
//!
//! let client = Client::new("http://127.0.0.1:7420")?;
//! let claim = Claim { resource: "repository:f16".to_owned(), op: None };
//! let report = client.tasks().submit(&Submission::new("sync", [claim])).await?;
//! println!("{:?}", report.verdict);
//! # Ok(())
//! # }
//! ```
//!
//! To do the work:
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use interlock_client::Client;
//! use interlock_client::worker::{KindPolicy, Run, Worker};
//!
//! Worker::new(Client::new("http://127.0.0.1:7420")?)
//!     .name("w1")
//!     .concurrency(8)
//!     .handler("sync", KindPolicy::default(), |run: Run, url: String| async move {
//!         run.progress(1, 2, format!("fetching {url}"));
//!         Ok("done")
//!     })
//!     .run()
//!     .await?;
//! # Ok(())
//! # }
//! ```

#[cfg(doctest)]
#[doc = include_str!("../../../docs/workers.md")]
struct WorkersPage;

mod call;
mod client;
mod error;
mod events;
mod failures;
mod groups;
mod kinds;
mod namespaces;
mod nodes;
mod quotas;
mod resources;
mod retry;
mod schedules;
mod servers;
mod status;
mod tasks;
mod tls;
mod tokens;
mod work;
pub mod worker;
mod workers;

pub use client::{BadSetting, Client};
pub use error::Error;
pub use events::Events;
pub use failures::Failures;
pub use groups::Groups;
pub use kinds::Kinds;
pub use namespaces::Namespaces;
pub use nodes::Nodes;
pub use quotas::Quotas;
pub use resources::Resources;
pub use retry::Retry;
pub use schedules::Schedules;
pub use tasks::Tasks;
pub use tokens::Tokens;
pub use work::Work;
pub use workers::Workers;
