//! What a cell counts over time: the last hour by minutes, the last day by quarters of an hour, and
//! which failures grow. All of it in memory, of a fixed size, and at a fixed cost per decision.

mod ring;
mod trends;
mod waits;

pub use trends::Trends;

use interlock_api::Time;
use interlock_api::activity::{Activity as Shown, Stretch};
use interlock_core::event::{Event, RunEnd};
use interlock_core::reply::Answer;
use interlock_core::{Core, Record, Reply};
use ring::{Ring, Slot};

const MINUTE_MS: u64 = 60_000;

/// What went on in one namespace since this process began to serve it.
pub struct Activity {
    since_ms: u64,
    hour: Ring,
    day: Ring,
    /// Which failures grow.
    pub trends: Trends,
}

impl Activity {
    /// Nothing yet.
    pub fn new(now_ms: u64) -> Self {
        Self {
            since_ms: now_ms,
            hour: Ring::new(MINUTE_MS, 60),
            day: Ring::new(15 * MINUTE_MS, 96),
            trends: Trends::default(),
        }
    }

    /// A command was decided. The core has applied it already.
    pub fn decided(&mut self, core: &Core, reply: &Reply, record: Option<&Record>) {
        let at_ms = core.now().wall.0;
        if let Reply::Submitted { answers, .. } = reply {
            for answer in answers {
                self.count(at_ms, |slot| slot.answered(answer));
            }
        }
        for event in record.iter().flat_map(|record| &record.events) {
            match event {
                Event::Started(started) => {
                    let waited = core.waited_ms(started.task);
                    self.count(at_ms, |slot| slot.started(waited));
                }
                Event::RunEnded(ended) => self.count(at_ms, |slot| slot.run_ended(&ended.how)),
                _ => {}
            }
        }
    }

    fn count(&mut self, at_ms: u64, count: impl Fn(&mut Slot)) {
        count(self.hour.at(at_ms));
        count(self.day.at(at_ms));
    }

    /// As it is shown.
    pub fn shown(&self, now_ms: u64) -> Shown {
        let stretch = |ring: &Ring| -> Stretch { ring.shown(self.since_ms, now_ms) };
        Shown {
            now: Time::from_ms(now_ms),
            since: Time::from_ms(self.since_ms),
            hour: stretch(&self.hour),
            day: stretch(&self.day),
        }
    }
}

impl Slot {
    fn answered(&mut self, answer: &Answer) {
        use interlock_core::reply::Verdict;
        let counts = &mut self.counts;
        let count = match answer {
            Answer::Admitted(report) if report.verdict == Verdict::Accepted => &mut counts.accepted,
            Answer::Admitted(_) => &mut counts.postponed,
            Answer::Coalesced(_) => &mut counts.coalesced,
            Answer::Rejected { .. } => &mut counts.rejected,
            Answer::Refused(_) => &mut counts.refused,
        };
        *count += 1;
    }

    fn started(&mut self, waited_ms: Option<u64>) {
        self.counts.started += 1;
        if let Some(waited_ms) = waited_ms {
            self.waits.add(waited_ms);
        }
    }

    fn run_ended(&mut self, how: &RunEnd) {
        let counts = &mut self.counts;
        let count = match how {
            RunEnd::Succeeded { .. } => &mut counts.succeeded,
            RunEnd::Failed { .. } => &mut counts.failed,
            RunEnd::Released | RunEnd::Returned => &mut counts.released,
            RunEnd::Lost => &mut counts.lost,
            RunEnd::Stopped { .. } => &mut counts.stopped,
        };
        *count += 1;
    }
}
