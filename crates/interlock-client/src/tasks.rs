//! Calls about tasks: submit, look at, wait for, steer.

use crate::call::{Call, with_query};
use crate::client::Client;
use crate::error::Error;
use crate::retry::new_key;
use interlock_api::Code;
use interlock_api::explain::Explanation;
use interlock_api::page::Page;
use interlock_api::submission::{Submission, Submissions, SubmitOptions};
use interlock_api::task::{
    Bump, Cancel, Cancelling, Done, Purge, Purged, Task, TaskQuery, WaitQuery,
};
use interlock_api::verdict::{BatchReport, Report};

/// Calls about tasks.
#[derive(Clone, Copy, Debug)]
pub struct Tasks<'a>(pub(crate) &'a Client);

impl Tasks<'_> {
    /// Submits one task. A rejection is a problem of the code `rejected`.
    ///
    /// Unless the client is set to try only once, a submission without an idempotency key gets one
    /// of its own, so that a lost answer is asked for again and submits nothing twice. Should the
    /// namespace have no room for another key, the task is submitted without.
    pub async fn submit(&self, submission: &Submission) -> Result<Report, Error> {
        if submission.idempotency_key.is_some() {
            return self.send(submission, true).await;
        }
        let key = (self.0.retry.tries > 1).then(new_key).flatten();
        if key.is_none() {
            return self.send(submission, false).await;
        }
        let mut keyed = submission.clone();
        keyed.idempotency_key = key;
        match self.send(&keyed, true).await {
            Err(error) if error.code() == Some(Code::IdempotencyFull) => {
                self.send(submission, false).await
            }
            answer => answer,
        }
    }

    async fn send(&self, submission: &Submission, repeatable: bool) -> Result<Report, Error> {
        let call = Call::post("/v1/tasks", submission).repeatable(repeatable);
        self.0.ask(&call).await
    }

    /// What the verdict would be; nothing is changed.
    pub async fn dry_run(&self, submission: &Submission) -> Result<Report, Error> {
        let path = with_query("/v1/tasks", &SubmitOptions { dry_run: true });
        let call = Call::post(&path, submission).repeatable(true);
        self.0.ask(&call).await
    }

    /// Submits many tasks, each with its own outcome. Without idempotency keys of their own an answer
    /// that is lost is not asked for again.
    pub async fn batch(
        &self,
        submissions: &Submissions,
        options: SubmitOptions,
    ) -> Result<BatchReport, Error> {
        let path = with_query("/v1/tasks/batch", &options);
        self.0.post(&path, submissions).await
    }

    /// A page of tasks, the newest first.
    pub async fn list(&self, query: &TaskQuery) -> Result<Page<Task>, Error> {
        self.0.get_by("/v1/tasks", query).await
    }

    /// One task.
    pub async fn show(&self, task: u64) -> Result<Task, Error> {
        self.0.get(&format!("/v1/tasks/{task}")).await
    }

    /// One task, when what is waited for has come or the time is over.
    pub async fn wait(&self, task: u64, wait: &WaitQuery) -> Result<Task, Error> {
        self.0.get_by(&format!("/v1/tasks/{task}"), wait).await
    }

    /// Why it is not running.
    pub async fn explain(&self, task: u64) -> Result<Explanation, Error> {
        self.0.get(&format!("/v1/tasks/{task}/explain")).await
    }

    /// Calls it off.
    pub async fn cancel(&self, task: u64, cancel: Cancel) -> Result<Cancelling, Error> {
        self.verb(task, "cancel", &cancel).await
    }

    /// Submits an ended one again.
    pub async fn retry(&self, task: u64) -> Result<Report, Error> {
        self.verb(task, "retry", &Done {}).await
    }

    /// Raises its priority.
    pub async fn bump(&self, task: u64, bump: Bump) -> Result<Done, Error> {
        self.verb(task, "bump", &bump).await
    }

    /// Keeps it from starting.
    pub async fn hold(&self, task: u64) -> Result<Done, Error> {
        self.verb(task, "hold", &Done {}).await
    }

    /// Lets it start again.
    pub async fn release(&self, task: u64) -> Result<Done, Error> {
        self.verb(task, "release", &Done {}).await
    }

    /// Deletes ended tasks from the history.
    pub async fn purge(&self, purge: &Purge) -> Result<Purged, Error> {
        self.0.post("/v1/tasks/purge", purge).await
    }

    async fn verb<T: serde::de::DeserializeOwned>(
        &self,
        task: u64,
        verb: &str,
        body: &impl serde::Serialize,
    ) -> Result<T, Error> {
        self.0.post(&format!("/v1/tasks/{task}/{verb}"), body).await
    }
}
