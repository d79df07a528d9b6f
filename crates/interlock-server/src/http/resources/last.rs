//! The last success and failure of each kind on a resource, from memory and from the history.

use crate::cell::{CellError, Pending, history_row, outcome_word};
use crate::http::{Access, Answer, Read};
use interlock_api::resource::{LastEnded, LastTask};
use interlock_api::time::Time;
use interlock_core::words::{Outcome, ResourceName, TaskId};
use interlock_store::{NamespaceId, Reader, StoreError};
use std::collections::BTreeMap;

/// The latest task, by kind and outcome.
type Latest = BTreeMap<(String, Outcome), LastTask>;

/// Of those that ended and are not in the history yet.
pub(super) fn recent(pending: &Pending, resource: &ResourceName) -> Latest {
    let mut latest = Latest::new();
    for ended in pending.before(TaskId(u64::MAX)) {
        let mut claims = ended.claims.iter();
        if ended.outcome == Outcome::Cancelled || !claims.any(|claim| claim.resource == *resource) {
            continue;
        }
        // They come newest first.
        latest
            .entry((ended.kind.to_string(), ended.outcome))
            .or_insert_with(|| LastTask {
                task: ended.task.0,
                ended: Time::from(ended.ended),
                error: history_row(ended).error,
            });
    }
    latest
}

/// Together with those of the history, by kind.
pub(super) async fn merged(
    access: &Access<Read>,
    resource: ResourceName,
    recent: Latest,
) -> Answer<Vec<LastEnded>> {
    let id = access.namespace.id;
    let old = (access.server.readers)
        .read(move |reader| kept(reader, id, &resource))
        .await;
    let mut latest = old.ok_or(CellError::Stopping)??;
    for (key, task) in recent {
        let newer = |old: &LastTask| old.task > task.task;
        if !latest.get(&key).is_some_and(newer) {
            latest.insert(key, task);
        }
    }
    let mut by_kind = BTreeMap::<String, LastEnded>::new();
    for ((kind, outcome), task) in latest {
        let entry = by_kind.entry(kind.clone()).or_insert(LastEnded {
            kind,
            succeeded: None,
            failed: None,
        });
        match outcome {
            Outcome::Succeeded => entry.succeeded = Some(task),
            _ => entry.failed = Some(task),
        }
    }
    Ok(by_kind.into_values().collect())
}

fn kept(
    reader: &mut dyn Reader,
    namespace: NamespaceId,
    resource: &ResourceName,
) -> Result<Latest, StoreError> {
    let mut latest = Latest::new();
    for last in reader.last_ended(namespace, resource.as_str())? {
        let known = [Outcome::Succeeded, Outcome::Failed];
        let outcome = known
            .into_iter()
            .find(|outcome| outcome_word(*outcome) == last.outcome);
        let Some(outcome) = outcome else { continue };
        let error = match outcome {
            Outcome::Failed => reader.find(namespace, last.task)?.and_then(|row| row.error),
            _ => None,
        };
        let task = LastTask {
            task: last.task,
            ended: Time::from_ms(last.ended_ms),
            error,
        };
        latest.insert((last.kind, outcome), task);
    }
    Ok(latest)
}
