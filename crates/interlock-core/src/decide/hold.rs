//! `hold` and `release`: of a task, a resource, a kind, the namespace. Effective at once; tasks are
//! moved out of their lines, and back, in slices.

use crate::Core;
use crate::command::HoldTarget;
use crate::event::{Event, Sweep};
use crate::refusal::Refusal;
use crate::words::Name;

impl Core {
    pub(crate) fn set_hold(
        &mut self,
        what: HoldTarget,
        held: bool,
        by: Option<Name>,
    ) -> Result<(), Refusal> {
        let what = match what {
            HoldTarget::Task(task) => HoldTarget::Task(self.find_live(task)?),
            HoldTarget::Kind(kind) if self.state.kinds.find(&kind).is_none() => {
                return Err(Refusal::UnknownKind {
                    kind,
                    known: self.state.kinds.names(),
                });
            }
            other => other,
        };
        if self.is_hold_set(&what) == held {
            return Ok(());
        }
        self.emit(Event::HoldSet {
            what: what.clone(),
            held,
            by,
        });
        match what {
            HoldTarget::Task(task) => self.reroute(task),
            what => self.begin_sweep(Sweep::Reroute { what }),
        }
        Ok(())
    }

    fn is_hold_set(&self, what: &HoldTarget) -> bool {
        let state = &self.state;
        match what {
            HoldTarget::Task(task) => state.task(*task).hold,
            HoldTarget::Resource(name) => {
                let index = state.resources.find(name);
                index.is_some_and(|index| state.resources.get(index).hold)
            }
            HoldTarget::Kind(name) => {
                let kind = state.kinds.find(name);
                kind.is_some_and(|kind| state.kinds.get(kind).hold)
            }
            HoldTarget::Namespace => state.hold,
        }
    }
}
