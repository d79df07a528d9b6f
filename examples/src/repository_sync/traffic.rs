//! The traffic: clients that want things of one repository at the same time, and what they hear.

use super::worker::Load;
use crate::ask::{Outcome, claim, ended, on, started, task};
use interlock_api::claim::Op;
use interlock_api::submission::Submission;
use interlock_api::task::TaskQuery;
use interlock_client::{Client, Error};

/// A copy from one repository to another: it reads the one and updates the other.
pub fn copy(from: &str, to: &str) -> Submission {
    Submission::new("copy", [claim(from, Op::Read), claim(to, Op::Update)])
}

/// Submits, and says what was heard.
async fn say(client: &Client, submission: &Submission) -> Outcome<Option<u64>> {
    let resources = submission.resources.iter().map(|claim| &*claim.resource);
    let what = format!(
        "{} {}",
        submission.kind,
        resources.collect::<Vec<_>>().join(" ")
    );
    match client.tasks().submit(submission).await {
        Ok(report) => {
            println!("{what}: {:?}, task {}", report.verdict, task(&report));
            for reason in &report.reasons {
                println!("  {}", reason.sentence);
            }
            Ok(report.task)
        }
        Err(Error::Problem(problem)) => {
            println!("{what}: {}", problem.detail);
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The whole story: what is asked for, what is heard, and how it ends.
pub async fn tell(client: &Client) -> Outcome<()> {
    let (packages, pace_ms) = (10, 100);
    let load = Load { packages, pace_ms };
    let sync = say(client, &on("sync", "repository:f16", &load)?).await?;
    if let Some(sync) = sync {
        started(client, sync).await?;
    }
    let asked = [
        on("update", "repository:f16", &"Fedora 16")?,
        copy("repository:f16", "repository:copy"),
        on("publish", "repository:copy", &load)?,
        on("delete", "repository:f16", &())?,
        on("update", "repository:f16", &"too late")?,
        on("sync", "repository:f17", &load)?,
    ];
    let mut tasks = vec![sync];
    for submission in &asked {
        tasks.push(say(client, submission).await?);
    }
    println!("The tasks of repository:f16 now:");
    let resource = Some("repository:f16".to_owned());
    let state = Some("waiting,running".to_owned());
    let query = TaskQuery {
        resource,
        state,
        ..TaskQuery::default()
    };
    for task in client.tasks().list(&query).await?.items {
        println!(
            "  task {} ({}): {:?}",
            task.task,
            task.kind.unwrap_or_default(),
            task.state
        );
    }
    for task in tasks.into_iter().flatten() {
        let task = ended(client, task).await?;
        println!(
            "task {} ({}): {:?}",
            task.task,
            task.kind.unwrap_or_default(),
            task.state
        );
    }
    Ok(())
}
