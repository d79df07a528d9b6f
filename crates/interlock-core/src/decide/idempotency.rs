//! Idempotency keys: repeating a request returns the first acknowledged answer. The key of a group
//! is that of its first item.

use crate::Core;
use crate::bugs::Bug;
use crate::event::Event;
use crate::limits;
use crate::refusal::Refusal;
use crate::reply::{Answer, Report};
use crate::words::{GroupId, Name, Submission};

/// Under what an answer will be kept.
pub(crate) struct ToKeep {
    key: Name,
    digest: u64,
}

/// An answer that was given before.
pub(crate) struct Recalled {
    pub(crate) answers: Vec<Answer>,
    pub(crate) group: Option<GroupId>,
}

impl Core {
    /// The answer to a request that was made before, or must not be made; else under what the
    /// answer will be kept, if under anything.
    pub(crate) fn recall(
        &self,
        items: &[Submission],
    ) -> Result<Option<ToKeep>, Result<Recalled, Refusal>> {
        let key = items
            .first()
            .and_then(|first| first.idempotency_key.clone());
        let Some(key) = key.filter(|_| !self.bug(Bug::IdempotencyForgotten)) else {
            return Ok(None);
        };
        let digest = digest(items);
        let kept = self.state.remembered.get(&key);
        let Some(kept) = kept.filter(|kept| kept.until > self.state.now.wall) else {
            let max = limits::IDEMPOTENCY_KEYS_MAX;
            if self.state.remembered.len() >= max {
                let max = max as u64;
                return Err(Err(Refusal::IdempotencyFull { max }));
            }
            return Ok(Some(ToKeep { key, digest }));
        };
        if kept.digest != digest {
            return Err(Err(Refusal::IdempotencyMismatch { key }));
        }
        let answers = kept.reports.iter().map(|(report, coalesced)| {
            let mut report = report.clone();
            report.repeated = true;
            if *coalesced {
                Answer::Coalesced(report)
            } else {
                Answer::Admitted(report)
            }
        });
        Err(Ok(Recalled {
            answers: answers.collect(),
            group: kept.group,
        }))
    }

    /// Keeps an answer. Refusals and rejections are not remembered: they changed nothing.
    pub(crate) fn remember(
        &mut self,
        kept: Option<ToKeep>,
        answers: &[Answer],
        group: Option<GroupId>,
    ) {
        let Some(ToKeep { key, digest }) = kept else {
            return;
        };
        let reports: Option<Vec<(Report, bool)>> = (answers.iter())
            .map(|answer| match answer {
                Answer::Admitted(report) => Some((report.clone(), false)),
                Answer::Coalesced(report) => Some((report.clone(), true)),
                Answer::Rejected { .. } | Answer::Refused(_) => None,
            })
            .collect();
        if let Some(reports) = reports {
            self.emit(Event::Remembered {
                key,
                digest,
                reports,
                group,
            });
        }
    }
}

/// A digest of a request that stays the same over versions: FNV-1a of its JSON. Under which trace
/// it is made does not make it another request.
fn digest(items: &[Submission]) -> u64 {
    const START: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    items.iter().fold(START, |digest, item| {
        let item = Submission {
            trace: None,
            ..item.clone()
        };
        let bytes = serde_json::to_vec(&item).expect("a submission has no maps with odd keys");
        (bytes.iter()).fold(digest, |digest, byte| {
            (digest ^ u64::from(*byte)).wrapping_mul(PRIME)
        })
    })
}
