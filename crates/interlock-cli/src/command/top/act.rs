//! What the user wants done, and doing it.

use crate::command::tasks::tree;
use interlock_api::Code;
use interlock_api::task::Cancel;
use interlock_client::{Client, Error};

/// What a key asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// To leave.
    Quit,
    /// To look at the server now.
    Look,
    /// Why a task is not running.
    Explain(u64),
    /// To call a task off.
    Cancel {
        /// The task.
        task: u64,
        /// It stands for several submissions, and all of them are meant.
        all: bool,
    },
    /// To keep something from starting.
    Hold(Target),
    /// To let it start again.
    Release(Target),
}

/// What can be held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A task.
    Task(u64),
    /// A resource.
    Resource(String),
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// An explanation, line by line.
    Explained {
        /// The task.
        task: u64,
        /// The sentence, and the tree.
        lines: Vec<String>,
    },
    /// It stands for several submissions: are all of them meant?
    Several {
        /// The task.
        task: u64,
        /// For how many, in a sentence.
        text: String,
    },
    /// It was done.
    Done(String),
    /// It was not.
    Failed(String),
}

/// Does it.
pub async fn act(client: &Client, action: Action) -> Said {
    let cancelled = match action {
        Action::Cancel { task, .. } => Some(task),
        _ => None,
    };
    match (tried(client, action).await, cancelled) {
        (Ok(said), _) => said,
        (Err(error), Some(task)) if error.code() == Some(Code::StandsForSeveral) => {
            let text = error.to_string();
            Said::Several { task, text }
        }
        (Err(error), _) => Said::Failed(error.to_string()),
    }
}

async fn tried(client: &Client, action: Action) -> Result<Said, Error> {
    Ok(match action {
        Action::Quit | Action::Look => Said::Done(String::new()),
        Action::Explain(task) => Said::Explained {
            task,
            lines: tree(&client.tasks().explain(task).await?),
        },
        Action::Cancel { task, all } => {
            let cancelling = client.tasks().cancel(task, Cancel { all }).await?;
            Said::Done(match cancelling.running {
                true => format!("Task {task} still runs; its worker is told to stop."),
                false => format!("Task {task} is cancelled."),
            })
        }
        Action::Hold(Target::Task(task)) => {
            client.tasks().hold(task).await?;
            Said::Done(format!("Task {task} is held."))
        }
        Action::Hold(Target::Resource(name)) => {
            client.resources().hold(&name).await?;
            Said::Done(format!("{name} is held: nothing on it starts."))
        }
        Action::Release(Target::Task(task)) => {
            client.tasks().release(task).await?;
            Said::Done(format!("Task {task} is released."))
        }
        Action::Release(Target::Resource(name)) => {
            client.resources().release(&name).await?;
            Said::Done(format!("{name} is released."))
        }
    })
}
