//! Calls of workers, one for each thing that a worker says.

use crate::call::Call;
use crate::client::Client;
use crate::error::Error;
use interlock_api::run::{
    Beat, Beaten, Finished, Finishes, Goodbye, Register, Registered, ReportProgress, RunOrder,
    Spend, Spending, Take, Taken,
};
use interlock_api::task::Done;

/// Calls of workers.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a>(pub(crate) &'a Client);

impl Work<'_> {
    /// Begins a session.
    pub async fn register(&self, register: &Register) -> Result<Registered, Error> {
        let call = Call::post("/v1/work/register", register).repeatable(true);
        self.0.ask(&call).await
    }

    /// Asks for tasks, and may report how the last ones ended.
    pub async fn take(&self, take: &Take) -> Result<Taken, Error> {
        let call = Call::post("/v1/work/take", take).repeatable(true);
        self.0.ask(&call).await
    }

    /// Goes on with the runs that it names.
    pub async fn beat(&self, beat: &Beat) -> Result<Beaten, Error> {
        self.0.post("/v1/work/beat", beat).await
    }

    /// Tells how far a run is.
    pub async fn progress(&self, report: &ReportProgress) -> Result<RunOrder, Error> {
        self.0.post("/v1/work/progress", report).await
    }

    /// Tells how runs ended.
    pub async fn finish(&self, finishes: &Finishes) -> Result<Finished, Error> {
        let call = Call::post("/v1/work/finish", finishes).repeatable(true);
        self.0.ask(&call).await
    }

    /// Asks for units of a quota.
    pub async fn spend(&self, spend: &Spend) -> Result<Spending, Error> {
        self.0.post("/v1/work/spend", spend).await
    }

    /// Ends the session.
    pub async fn goodbye(&self, goodbye: Goodbye) -> Result<Done, Error> {
        self.0.post("/v1/work/goodbye", &goodbye).await
    }
}
