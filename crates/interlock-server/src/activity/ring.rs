//! A ring of slots, one per step of time: what is older than the ring is long is overwritten.

use super::waits::WaitCounts;
use interlock_api::activity::{Bucket, Stretch};
use interlock_api::overview::Totals;
use interlock_api::{Span, Time};

/// What was counted in one step.
#[derive(Clone, Debug, Default)]
pub(super) struct Slot {
    /// Which step it is: the time divided by the step's length.
    number: u64,
    pub(super) counts: Totals,
    pub(super) waits: WaitCounts,
}

/// The last steps.
pub(super) struct Ring {
    step_ms: u64,
    slots: Box<[Slot]>,
}

impl Ring {
    /// So many steps of this length.
    pub(super) fn new(step_ms: u64, steps: usize) -> Self {
        Self {
            step_ms,
            slots: vec![Slot::default(); steps].into_boxed_slice(),
        }
    }

    /// The slot of this time, to count in.
    pub(super) fn at(&mut self, at_ms: u64) -> &mut Slot {
        let number = at_ms / self.step_ms;
        let slot = &mut self.slots[(number % self.slots.len() as u64) as usize];
        if slot.number != number {
            *slot = Slot {
                number,
                ..Slot::default()
            };
        }
        slot
    }

    /// The steps up to now, those before `since_ms` left out.
    pub(super) fn shown(&self, since_ms: u64, now_ms: u64) -> Stretch {
        let length = self.slots.len() as u64;
        let last = now_ms / self.step_ms;
        let first = (last + 1).saturating_sub(length);
        let first = first.max(since_ms / self.step_ms).min(last);
        let mut counts = Totals::default();
        let mut waits = WaitCounts::default();
        let empty = Slot::default();
        let buckets = (first..=last).map(|number| {
            let slot = &self.slots[(number % length) as usize];
            let slot = if slot.number == number { slot } else { &empty };
            add(&mut counts, &slot.counts);
            waits.add_all(&slot.waits);
            Bucket {
                from: Time::from_ms(number * self.step_ms),
                counts: slot.counts,
                waits: slot.waits.shown(),
            }
        });
        let buckets = buckets.collect();
        Stretch {
            step: Span::from_ms(self.step_ms),
            counts,
            waits: waits.shown(),
            buckets,
        }
    }
}

fn add(to: &mut Totals, more: &Totals) {
    let Totals {
        accepted,
        postponed,
        coalesced,
        rejected,
        refused,
        started,
        succeeded,
        failed,
        released,
        lost,
        stopped,
    } = more;
    to.accepted += accepted;
    to.postponed += postponed;
    to.coalesced += coalesced;
    to.rejected += rejected;
    to.refused += refused;
    to.started += started;
    to.succeeded += succeeded;
    to.failed += failed;
    to.released += released;
    to.lost += lost;
    to.stopped += stopped;
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: u64 = 60_000;

    fn counted(ring: &Ring, since_ms: u64, now_ms: u64) -> Vec<u64> {
        let shown = ring.shown(since_ms, now_ms);
        let each = shown.buckets.iter().map(|bucket| bucket.counts.started);
        let each: Vec<u64> = each.collect();
        assert_eq!(shown.counts.started, each.iter().sum::<u64>());
        each
    }

    #[test]
    fn it_shows_the_last_steps_and_nothing_from_before_it_began() {
        let mut ring = Ring::new(STEP, 3);
        let began = 10 * STEP + 7;
        assert_eq!(counted(&ring, began, began), [0]);
        ring.at(began).counts.started += 1;
        ring.at(11 * STEP).counts.started += 2;
        assert_eq!(counted(&ring, began, 11 * STEP), [1, 2]);
        // A step in which nothing was counted is shown as empty.
        assert_eq!(counted(&ring, began, 12 * STEP), [1, 2, 0]);
        ring.at(13 * STEP).counts.started += 4;
        assert_eq!(counted(&ring, began, 13 * STEP), [2, 0, 4]);
        // Long after, what is still in the slots counts no more.
        assert_eq!(counted(&ring, began, 100 * STEP), [0, 0, 0]);
    }

    #[test]
    fn a_step_begins_where_the_calendar_has_it() {
        let ring = Ring::new(STEP, 3);
        let shown = ring.shown(10 * STEP + 7, 10 * STEP + 9);
        assert_eq!(shown.buckets[0].from, Time::from_ms(10 * STEP));
        assert_eq!(shown.step.to_string(), "1m");
    }
}
