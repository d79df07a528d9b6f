//! What to submit: the arguments that `submit` and `schedules set` share.

use crate::exit::Failure;
use crate::{input, word};
use clap::Args;
use interlock_api::claim::{Claim, Op};
use interlock_api::submission::Submission;

/// What to submit.
#[derive(Args)]
pub struct What {
    /// The kind of task; `interlock kinds list` shows them
    #[arg(value_name = "KIND")]
    kind: String,
    /// The resources that it touches, each `type:id`
    #[arg(value_name = "RESOURCE")]
    resources: Vec<String>,
    /// What it does to them [default: what the kind says]
    #[arg(long, value_parser = word::one_of::<Op>(&["read", "update", "create", "delete"]))]
    op: Option<Op>,
    /// Handed to the run as it is: JSON, @FILE, or - for standard input
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    payload: Option<String>,
    /// 0 to 9, higher goes first [default: the kind's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=9))]
    priority: Option<u8>,
    /// Keeps apart submissions that would otherwise be the same thing to a kind that coalesces
    #[arg(long, value_name = "TEXT")]
    key: Option<String>,
    /// A word to find the task by; may be repeated
    #[arg(long = "tag", value_name = "TEXT")]
    tags: Vec<String>,
}

impl What {
    /// As the wire has it.
    pub fn submission(self) -> Result<Submission, Failure> {
        let claims = (self.resources.into_iter()).map(|resource| Claim {
            resource,
            op: self.op,
        });
        let mut submission = Submission::new(self.kind, claims);
        submission.payload = self.payload.as_deref().map(input::json).transpose()?;
        submission.priority = self.priority;
        submission.key = self.key;
        submission.tags = self.tags;
        Ok(submission)
    }
}
