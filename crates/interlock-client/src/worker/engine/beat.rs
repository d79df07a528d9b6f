//! `beat`: renews the leases of all runs at once, and tells how far they are and what they used.

use super::{Answer, Engine, EntryState, PROGRESS_EVERY};
use crate::Error;
use crate::call::Call;
use crate::worker::clock::boot_ms;
use crate::worker::error::WorkerError;
use crate::worker::live::{Live, News, StopReason};
use interlock_api::Code;
use interlock_api::run::{Beat, BeatRun, Beaten, Order, RunOrder, Units};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tracing::{debug, info};

/// Runs in one beat.
pub(super) const RUNS_MAX: usize = 1_000;

/// A beat on its way.
pub(super) struct Beating {
    sent_ms: u64,
    told: Vec<Word>,
}

/// What a beat told of one run.
struct Word {
    live: Arc<Live>,
    news: News,
    /// Units used in all, by budget.
    used: Vec<u64>,
}

impl Engine {
    pub(super) fn send_beat(&mut self, now: Instant) {
        let Some(session) = self.session.filter(|_| !self.beating) else {
            return;
        };
        if self.runs.is_empty() {
            self.beat_due_ms = u64::MAX;
            return;
        }
        if self.next_beat(now).is_none_or(|at| at > now) {
            return;
        }
        let wished = self.wishes.soon.swap(false, Ordering::AcqRel)
            | self.wishes.now.swap(false, Ordering::AcqRel);
        self.plan_beat();
        if !wished && self.beat_due_ms > boot_ms() && self.beat_again.at.is_none() {
            // What was due has ended meanwhile.
            return;
        }
        let named = self
            .runs
            .values()
            .filter(|entry| !entry.gone)
            .take(RUNS_MAX);
        let (told, runs): (Vec<Word>, Vec<BeatRun>) = named
            .map(|entry| word(&entry.live, matches!(entry.state, EntryState::Ended)))
            .unzip();
        let call = Call::post("/v1/work/beat", &Beat { session, runs });
        let within = Duration::from_millis(self.lease_ms_min / 4).min(Duration::from_secs(10));
        let call = call.once_within(within);
        (self.beating, self.last_beat) = (true, Some(now));
        let beating = Beating {
            sent_ms: boot_ms(),
            told,
        };
        let client = self.settings.client.clone();
        self.calls.push(Box::pin(async move {
            let answer = client.ask(&call).await;
            Answer::Beaten(beating, answer)
        }));
    }

    pub(super) fn beaten(
        &mut self,
        beating: Beating,
        answer: Result<Beaten, Error>,
    ) -> Result<(), WorkerError> {
        self.beating = false;
        match answer {
            Ok(beaten) => {
                self.beat_again.worked();
                for (word, order) in beating.told.iter().zip(&beaten.runs) {
                    self.heed_order(word, order, beating.sent_ms);
                }
                self.plan_beat();
            }
            Err(error) => {
                beating.told.into_iter().for_each(take_back);
                match error.code() {
                    Some(Code::StaleSession) => self.session_ended(),
                    _ if error.is_retryable() => {
                        debug!(%error, "a beat was not answered");
                        self.beat_again.failed();
                        self.beat_due_ms = 0;
                    }
                    _ => return self.refused(error),
                }
            }
        }
        Ok(())
    }

    /// When the next beat is due.
    fn plan_beat(&mut self) {
        let due = self.runs.values().filter(|entry| !entry.gone);
        let due = due.map(|entry| entry.live.lease.beat_at()).min();
        // One that is not renewed any more is not asked about in a hurry.
        let soonest = boot_ms() + PROGRESS_EVERY.as_millis() as u64 / 4;
        self.beat_due_ms = match self.beating {
            true => due.unwrap_or(u64::MAX),
            false => due.map_or(u64::MAX, |due| {
                if self
                    .last_beat
                    .is_some_and(|last| last.elapsed() < PROGRESS_EVERY / 4)
                {
                    due.max(soonest)
                } else {
                    due
                }
            }),
        };
    }

    fn heed_order(&mut self, word: &Word, order: &RunOrder, sent_ms: u64) {
        let (live, token) = (&word.live, word.live.token());
        if matches!(order.order, Order::GoOn | Order::Stop) {
            live.lease.renew(sent_ms);
        }
        let now = boot_ms();
        for (own, used) in live.budgets.iter().zip(&word.used) {
            let news = order.budgets.iter().find(|news| news.quota == own.quota);
            if let Some(news) = news {
                own.lock().hear(news, sent_ms, *used, now);
                own.news.notify_waiters();
            }
        }
        let why = order.why.map_or(StopReason::Cancelled, StopReason::from);
        let late =
            (self.runs.get(&token)).is_some_and(|entry| matches!(entry.state, EntryState::Late(_)));
        match order.order {
            Order::GoOn if late => self.start(token),
            Order::GoOn => {}
            Order::Stop | Order::Ending if late => self.give_back(token),
            Order::Stop => {
                if !live.stop.is_cancelled() {
                    info!(task = live.facts.task, %token, ?why, "a run shall stop");
                }
                live.cancel(why);
            }
            Order::Ending => {
                live.cancel(why);
                live.abort();
            }
            Order::Gone => self.run_gone(token),
        }
    }
}

/// What a beat tells of a run. One that has ended has told its use with its finish.
fn word(live: &Arc<Live>, ended: bool) -> (Word, BeatRun) {
    let news = std::mem::take(&mut *live.news());
    let mut used = Vec::with_capacity(live.budgets.len());
    let mut units = Vec::new();
    for own in &live.budgets {
        let budget = own.lock();
        used.push(budget.used());
        if budget.unreported() > 0 && !ended {
            units.push(Units {
                quota: own.quota.clone(),
                units: budget.unreported(),
            });
        }
    }
    let run = BeatRun {
        token: live.token(),
        progress: news.progress.clone(),
        used: units,
        dropped: together(&news.dropped),
    };
    let live = live.clone();
    (Word { live, news, used }, run)
}

/// Each quota once.
fn together(dropped: &[Units]) -> Vec<Units> {
    let mut sums: Vec<Units> = Vec::new();
    for one in dropped {
        match sums.iter_mut().find(|sum| sum.quota == one.quota) {
            Some(sum) => sum.units += one.units,
            None => sums.push(one.clone()),
        }
    }
    sums
}

/// A beat that was not heard has told nothing.
fn take_back(word: Word) {
    let mut news = word.live.news();
    let newer = news.progress.take();
    news.progress = newer.or(word.news.progress);
    news.dropped.extend(word.news.dropped);
}
