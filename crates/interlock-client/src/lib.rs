//! A typed HTTP client for every route of Interlock.
//!
//! [`Client`] knows where the server is and who is asking; one file per noun has the calls. It
//! repeats nothing by itself: an [`Error`] says whether asking again may help and whether the
//! request may have been carried out all the same.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use interlock_api::claim::Claim;
//! use interlock_api::submission::Submission;
//!
//! let client = interlock_client::Client::new("http://127.0.0.1:7420")?;
//! let claim = Claim { resource: "repository:f16".to_owned(), op: None };
//! let report = client.tasks().submit(&Submission::new("sync", [claim])).await?;
//! println!("{:?}", report.verdict);
//! # Ok(())
//! # }
//! ```

mod call;
mod client;
mod error;
mod events;
mod failures;
mod groups;
mod kinds;
mod namespaces;
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
pub use quotas::Quotas;
pub use resources::Resources;
pub use retry::Retry;
pub use schedules::Schedules;
pub use tasks::Tasks;
pub use tokens::Tokens;
pub use work::Work;
pub use workers::Workers;
