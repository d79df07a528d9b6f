//! Idempotency keys: repeating a request returns the first acknowledged answer.

use crate::Core;
use crate::bugs::Bug;
use crate::event::Event;
use crate::limits;
use crate::refusal::Refusal;
use crate::reply::Answer;
use crate::words::{Name, Submission};

impl Core {
    /// The answer to a request that was made before, or must not be made.
    pub(crate) fn recall(&self, item: &Submission) -> Option<Answer> {
        let key = item.idempotency_key.as_ref()?;
        let kept = self.state.remembered.get(key);
        let Some(kept) = kept.filter(|kept| kept.until > self.state.now.wall) else {
            let max = limits::IDEMPOTENCY_KEYS_MAX;
            let full = self.state.remembered.len() >= max;
            return full.then_some(Answer::Refused(Refusal::IdempotencyFull {
                max: max as u64,
            }));
        };
        if kept.digest != digest(item) {
            return Some(Answer::Refused(Refusal::IdempotencyMismatch {
                key: key.clone(),
            }));
        }
        let mut report = (*kept.report).clone();
        report.repeated = true;
        Some(if kept.coalesced {
            Answer::Coalesced(report)
        } else {
            Answer::Admitted(report)
        })
    }

    /// The key and digest under which the answer to a request will be kept.
    pub(crate) fn digest_to_keep(&self, item: &Submission) -> Option<(Name, u64)> {
        if self.bug(Bug::IdempotencyForgotten) {
            return None;
        }
        let key = item.idempotency_key.clone()?;
        Some((key, digest(item)))
    }

    /// Keeps an answer. Refusals and rejections are not remembered: they changed nothing.
    pub(crate) fn remember(&mut self, kept: Option<(Name, u64)>, answer: &Answer) {
        let Some((key, digest)) = kept else { return };
        let (report, coalesced) = match answer {
            Answer::Admitted(report) => (report, false),
            Answer::Coalesced(report) => (report, true),
            Answer::Rejected { .. } | Answer::Refused(_) => return,
        };
        self.emit(Event::Remembered {
            key,
            digest,
            report: Box::new(report.clone()),
            coalesced,
        });
    }
}

/// A digest of a request that stays the same over versions: FNV-1a of its JSON.
fn digest(item: &Submission) -> u64 {
    let bytes = serde_json::to_vec(item).expect("a submission has no maps with odd keys");
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
