//! The nouns of Interlock: names, claims, policies, submissions. Data only; the rules are in `decide`.

mod claim;
mod id;
mod kind;
mod name;
mod namespace;
mod payload;
mod quota;
mod schedule;
mod submission;
mod time;

pub use claim::{Claim, Op};
pub use id::{GroupId, KindId, Outcome, QuotaId, SessionId, TaskId, Token};
pub use kind::{Coalesce, Kind, OnLoss, PayloadRule, QuotaUse, Retention, Retry, Waits};
pub use name::{Name, ResourceName};
pub use namespace::Namespace;
pub use payload::Payload;
pub use quota::{Limit, Quota, Scope};
pub use schedule::{Schedule, Timing};
pub use submission::{After, Due, IfBusy, Submission};
pub use time::{Elapsed, Now, Wall};
