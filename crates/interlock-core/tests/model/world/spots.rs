//! Places: the design leaves open in which order those draw them who join in one decision. So the
//! model takes the core's places, as long as they are drawn in order from decision to decision; and
//! the floor that a barrier found, as long as it is one that it can have found.

use super::World;
use crate::reference::{Index, State};
use crate::steps::RESOURCES;
use interlock_core::event::{Event, Then};

impl World {
    /// Notes where an event puts a task.
    pub(super) fn note_spot(&mut self, event: &Event) {
        let (task, spot) = match event {
            Event::Admitted(admitted) => (admitted.task, admitted.spot),
            Event::Moved { task, spot, .. } => {
                self.model.order.push(*task);
                (*task, *spot)
            }
            Event::Merged {
                into: task, rank, ..
            }
            | Event::Folded {
                into: task, rank, ..
            }
            | Event::Bumped { task, rank, .. } => {
                let spot = self.spots.get(task).copied().unwrap_or_default();
                (
                    *task,
                    interlock_core::event::Spot {
                        rank: *rank,
                        ..spot
                    },
                )
            }
            Event::RunEnded(ended) => match &ended.then {
                Then::Wait { spot, .. } => match self.model.run_with(ended.token) {
                    Some(task) => (self.id(task), *spot),
                    None => return,
                },
                Then::Done { .. } => return,
            },
            _ => return,
        };
        self.spots.insert(task, spot);
    }

    /// Tells the model the places of those who joined in this decision.
    pub(super) fn tell_places(&mut self) -> Result<(), String> {
        let joined = std::mem::take(&mut self.model.joined);
        for &task in &joined {
            let task_now = &self.model.tasks[task];
            if task_now.state == State::InLine || (task_now.at_work && task_now.is_waiting()) {
                self.tell_place(task, &joined)?;
            }
        }
        let places = joined.iter().map(|&task| self.model.tasks[task].place);
        let told = places.filter(|&place| place < u64::MAX / 2);
        self.last_place = told.fold(self.last_place, u64::max);
        Ok(())
    }

    fn tell_place(&mut self, task: Index, joined: &[Index]) -> Result<(), String> {
        let id = self.id(task);
        let spot = self
            .spots
            .get(&id)
            .ok_or(format!("task {id} has no spot"))?;
        if spot.place <= self.last_place {
            return Err(format!("task {id} joined at the old place {}", spot.place));
        }
        self.model.tasks[task].place = spot.place;
        if self.model.tasks[task].is_lifecycle() {
            let floor = self.floor(task, |other| !joined.contains(&other));
            let ceiling = self.floor(task, |_| true).max(self.model.tasks[task].rank);
            // It may have found somebody who left in this same decision, just after it came.
            let claims = self.model.tasks[task].claims.iter();
            let left = claims.filter_map(|claim| self.worst_ranks[claim.0]);
            let ceiling = left.fold(ceiling, i64::max);
            if !(floor..=ceiling).contains(&spot.rank) {
                let rank = spot.rank;
                return Err(format!(
                    "barrier {id} has rank {rank}, not from {floor} to {ceiling}"
                ));
            }
            self.model.tasks[task].rank = spot.rank;
        }
        Ok(())
    }

    /// The rank floor of a barrier, if these others were in its lines.
    fn floor(&self, barrier: Index, is_there: impl Fn(Index) -> bool) -> i64 {
        let claims = self.model.tasks[barrier].claims.iter();
        let others = claims.flat_map(|&(resource, _)| {
            [self.model.line(resource), self.model.holders(resource)].concat()
        });
        let others = others.filter(|&other| other != barrier && is_there(other));
        let ranks = others.map(|other| self.model.tasks[other].rank);
        let own = self.model.tasks[barrier].own_rank;
        ranks.fold(own, i64::max)
    }

    pub(super) fn note_worst_ranks(&mut self) {
        let model = &self.model;
        let worst = (0..RESOURCES.len()).map(|resource| {
            let there = [model.line(resource), model.holders(resource)].concat();
            there.iter().map(|&task| model.tasks[task].rank).max()
        });
        self.worst_ranks = worst.collect();
    }

    /// Everybody stands where the core says, and a barrier is the last in the lines that it bars.
    pub(super) fn compare_spots(&self) -> Result<(), String> {
        for task in self
            .model
            .all(|task| task.state == State::InLine || task.run().is_some())
        {
            let (id, expected) = (self.id(task), self.model.tasks[task].order());
            let got = self.spots.get(&id).map(|spot| (spot.rank, spot.place));
            if got != Some(expected) {
                return Err(format!(
                    "task {id} stands at {got:?} instead of {expected:?}"
                ));
            }
        }
        for resource in 0..self.model.held_resources.len() {
            let line = self.model.line(resource);
            let bars = |task: &Index| {
                let op = self.model.tasks[*task].op_on(resource);
                op.is_some_and(interlock_core::words::Op::is_lifecycle)
            };
            if let Some(at) = line.iter().position(bars).filter(|at| at + 1 < line.len()) {
                return Err(format!(
                    "barrier {} has others behind it in line",
                    self.id(line[at])
                ));
            }
        }
        Ok(())
    }
}
