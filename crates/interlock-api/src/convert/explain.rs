//! Explanations: the chain of causes, and its sentence.

use super::claim;
use super::reason::why;
use super::resource::brief;
use crate::explain::{Cause, Explanation, Link, Place};
use crate::sentence;
use crate::task::State;
use crate::time::Clock;
use interlock_core::view::{self, TaskState, TaskView};

/// The explanation of a task, which the core shows like this.
pub fn explanation(explanation: &view::Explanation, task: &TaskView, clock: &Clock) -> Explanation {
    let link = link(explanation, clock);
    let run = matches!(task.state, TaskState::Running { .. }).then(|| brief(task, clock));
    let resources = claim::shown(&task.claims);
    let kind = task.kind.as_str();
    let sentence = sentence::explanation(&link, kind, &resources, run.as_ref(), clock.now());
    Explanation {
        task: link.task,
        state: link.state,
        sentence,
        causes: link.causes,
        places: link.places,
    }
}

fn link(explanation: &view::Explanation, clock: &Clock) -> Link {
    Link {
        task: explanation.task.0,
        state: if explanation.running {
            State::Running
        } else {
            State::Waiting
        },
        causes: (explanation.causes.iter())
            .map(|cause| {
                let why = why(&cause.reason, clock);
                Cause {
                    sentence: sentence::reason(&why, clock.now()),
                    why,
                    then: (cause.then.as_ref()).map(|then| Box::new(link(then, clock))),
                }
            })
            .collect(),
        places: (explanation.places.iter())
            .map(|place| Place {
                resource: place.resource.to_string(),
                ahead: place.ahead as u64,
                at_least: place.at_least,
            })
            .collect(),
    }
}
