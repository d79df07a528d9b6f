//! Those who ask: submitters and operators.

pub mod operator;
pub mod schedules;
pub mod submission;
pub mod submitter;
