//! Schedules: they submit by the calendar or at an interval, never with two live tasks at once, and
//! once only for all firings that were missed.

use super::admit::Path;
use super::prepare::{bad, checked_ms, too_many};
use crate::Core;
use crate::bugs::Bug;
use crate::event::{Event, Fired};
use crate::limits;
use crate::refusal::Refusal;
use crate::reply::Answer;
use crate::view::ScheduleView;
use crate::words::{Name, Schedule, Timing, Wall};
use croner::Cron;
use jiff::Timestamp;
use jiff::tz::TimeZoneDatabase;
use std::str::FromStr;
use std::sync::{Arc, LazyLock};

impl Core {
    pub(crate) fn set_schedule(&mut self, mut schedule: Schedule) -> Result<(), Refusal> {
        if self.state.kinds.find(&schedule.submission.kind).is_none() {
            return Err(Refusal::UnknownKind {
                kind: schedule.submission.kind,
                known: self.state.kinds.names(),
            });
        }
        if schedule.submission.idempotency_key.is_some() || schedule.submission.parent.is_some() {
            return Err(bad(
                "submission",
                "a schedule has no idempotency key and no parent",
            ));
        }
        let known = self.state.schedules.get(&schedule.name);
        if known.is_none() && self.state.schedules.len() >= limits::SCHEDULES_MAX {
            return Err(too_many("schedules", limits::SCHEDULES_MAX));
        }
        let paused = known.is_some_and(|known| known.paused);
        if let Timing::Every {
            every_ms, start, ..
        } = &mut schedule.timing
        {
            let kept = known.and_then(|known| beat_of(&known.schedule.timing, *every_ms));
            let first = kept.unwrap_or(self.state.now.wall.plus(*every_ms));
            start.get_or_insert(first);
        }
        if known.is_some_and(|known| *known.schedule == schedule) {
            return Ok(());
        }
        let first = first_firing(&schedule.timing, self.state.now.wall)?;
        let next = first.filter(|_| !paused);
        let schedule = Arc::new(schedule);
        self.emit(Event::ScheduleSet { schedule, next });
        Ok(())
    }

    pub(crate) fn remove_schedule(&mut self, name: Name) -> Result<(), Refusal> {
        if !self.state.schedules.contains_key(&name) {
            return Err(Refusal::UnknownSchedule(name));
        }
        self.emit(Event::ScheduleRemoved { name });
        Ok(())
    }

    pub(crate) fn pause_schedule(&mut self, name: Name, paused: bool) -> Result<(), Refusal> {
        let Some(state) = self.state.schedules.get(&name) else {
            return Err(Refusal::UnknownSchedule(name));
        };
        if state.paused == paused {
            return Ok(());
        }
        let (timing, fired) = (&state.schedule.timing, state.fired);
        let next = next_firing(timing, self.state.now.wall, fired);
        let next = next.filter(|_| !paused);
        self.emit(Event::SchedulePaused { name, paused, next });
        Ok(())
    }

    /// A schedule is due.
    pub(crate) fn fire_schedule(&mut self, name: &Name) {
        let state = &self.state.schedules[name];
        let schedule = state.schedule.clone();
        let next = next_firing(&schedule.timing, self.state.now.wall, state.fired + 1);
        let live = state.live.and_then(|task| self.state.find_task(task));
        let fired = match live {
            Some(task) if !self.bug(Bug::ScheduleOverlaps) => Fired::StillLive { task: task.id },
            _ => {
                let path = Path {
                    schedule: Some(name.clone()),
                    ..Path::default()
                };
                fired_of(self.submit_one(schedule.submission.clone(), &path))
            }
        };
        let name = name.clone();
        self.emit(Event::ScheduleFired { name, fired, next });
    }
}

fn fired_of(answer: Answer) -> Fired {
    match answer {
        Answer::Admitted(report) | Answer::Coalesced(report) => match report.task {
            Some(task) => Fired::Submitted {
                task,
                verdict: report.verdict,
            },
            None => Fired::NotAdmitted {
                code: "not_admitted".into(),
            },
        },
        Answer::Rejected { .. } => Fired::NotAdmitted {
            code: "rejected".into(),
        },
        Answer::Refused(refusal) => Fired::NotAdmitted {
            code: refusal.code().into(),
        },
    }
}

/// The start of a schedule with this interval, so that setting it again keeps the beat.
fn beat_of(timing: &Timing, wanted_ms: u64) -> Option<Wall> {
    match timing {
        Timing::Every {
            every_ms, start, ..
        } if *every_ms == wanted_ms => *start,
        _ => None,
    }
}

impl ScheduleView {
    /// Its next firings, at most so many, if nothing is changed. Reads a calendar, so it is not for
    /// whoever decides.
    pub fn upcoming(&self, timing: &Timing, limit: usize) -> Vec<Wall> {
        let mut fired = self.fired;
        let firings = std::iter::successors(self.next, |last| {
            fired += 1;
            next_firing(timing, *last, fired)
        });
        firings.take(limit).collect()
    }
}

/// Checks a timing and tells its first firing after `now`.
fn first_firing(timing: &Timing, now: Wall) -> Result<Option<Wall>, Refusal> {
    match timing {
        Timing::Cron { expression, zone } => {
            if expression.len() > limits::NAME_BYTES_MAX || Cron::from_str(expression).is_err() {
                return Err(bad("cron", "the expression can't be read"));
            }
            if ZONES.get(zone).is_err() {
                return Err(bad("zone", "there is no such time zone"));
            }
            Ok(next_firing(timing, now, 0))
        }
        Timing::Every {
            every_ms, count, ..
        } => {
            if checked_ms("every", *every_ms)? < limits::SCHEDULE_EVERY_MS_MIN {
                return Err(bad("every", "it must be at least 100 ms"));
            }
            if *count == Some(0) {
                return Err(bad("count", "it must be at least one"));
            }
            Ok(next_firing(timing, now, 0))
        }
    }
}

/// The first firing after `now` of a schedule that has fired so many times.
fn next_firing(timing: &Timing, now: Wall, fired: u64) -> Option<Wall> {
    match timing {
        Timing::Cron { expression, zone } => {
            let cron = Cron::from_str(expression).ok()?;
            let zone = ZONES.get(zone).ok()?;
            let from = Timestamp::from_millisecond(i64::try_from(now.0).ok()?).ok()?;
            let next = cron
                .find_next_occurrence(&from.to_zoned(zone), false)
                .ok()?;
            u64::try_from(next.timestamp().as_millisecond())
                .ok()
                .map(Wall)
        }
        Timing::Every {
            every_ms,
            start,
            count,
        } => {
            if count.is_some_and(|count| fired >= count) {
                return None;
            }
            let start = start.unwrap_or(now.plus(*every_ms));
            if start >= now && fired == 0 {
                return Some(start);
            }
            // Missed firings are skipped, and the beat is kept.
            let beats = now.since(start) / every_ms + 1;
            Some(start.plus(beats.saturating_mul(*every_ms)))
        }
    }
}

/// Time-zone data is compiled in: the machine's own has no say.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);
