//! Which events somebody wants to hear of: those of one task, of one resource, or all.

use super::message::Happened;
use crate::http::Answer;
use crate::http::tasks::find_ended;
use crate::server::{Hosted, Server};
use interlock_core::Event;
use interlock_core::command::HoldTarget;
use interlock_core::words::{ResourceName, TaskId};
use std::collections::{BTreeMap, BTreeSet};

/// Tasks of which it is remembered whether they claim the resource. Beyond it all are forgotten.
const REMEMBERED_MAX: usize = 20_000;

pub(super) struct Filter {
    /// The task that was asked for, and those that it was folded into.
    tasks: BTreeSet<TaskId>,
    resource: Option<ResourceName>,
    /// Whether tasks claim the resource.
    claims: BTreeMap<TaskId, bool>,
}

/// What an event is about.
enum About<'a> {
    Task(TaskId),
    Tasks(&'a [TaskId]),
    Folded { from: TaskId, into: TaskId },
    Resource(&'a ResourceName),
    Else,
}

impl Filter {
    pub(super) fn new(task: Option<TaskId>, resource: Option<ResourceName>) -> Self {
        Self {
            tasks: task.into_iter().collect(),
            resource,
            claims: BTreeMap::new(),
        }
    }

    /// The only task that is asked for.
    pub(super) fn task(&self) -> Option<TaskId> {
        self.tasks.first().copied()
    }

    /// The only resource that is asked for.
    pub(super) fn resource(&self) -> Option<&ResourceName> {
        self.resource.as_ref()
    }

    /// The task that was asked for leads to this one.
    pub(super) fn leads_to(&mut self, task: TaskId) {
        if !self.tasks.is_empty() {
            self.tasks.insert(task);
        }
    }

    /// Finds out what it must know to judge these events.
    pub(super) async fn learn(
        &mut self,
        server: &Server,
        namespace: &Hosted,
        events: &[Happened<'_>],
    ) -> Answer<()> {
        let Some(resource) = self.resource.clone() else {
            return Ok(());
        };
        if self.claims.len() > REMEMBERED_MAX {
            self.claims.clear();
        }
        let mut unknown = BTreeSet::new();
        for Happened { event, .. } in events {
            if let Event::Admitted(admitted) = event {
                let mut claims = admitted.claims.iter();
                let claimed = claims.any(|(claimed, _)| *claimed == resource);
                self.claims.insert(admitted.task, claimed);
            } else if let About::Task(task) | About::Folded { into: task, .. } = about(event)
                && !self.claims.contains_key(&task)
            {
                unknown.insert(task);
            }
        }
        self.learn_tasks(server, namespace, unknown).await
    }

    /// Finds out which of these tasks claim the resource.
    pub(super) async fn learn_tasks(
        &mut self,
        server: &Server,
        namespace: &Hosted,
        mut unknown: BTreeSet<TaskId>,
    ) -> Answer<()> {
        let Some(resource) = self.resource.clone() else {
            return Ok(());
        };
        unknown.retain(|task| !self.claims.contains_key(task));
        if unknown.is_empty() {
            return Ok(());
        }
        let wanted = resource.clone();
        let live = namespace.cell.read(move |view| {
            let each = unknown.into_iter();
            let each = each.map(|task| (task, view.core.claims(task, &wanted)));
            each.collect::<Vec<_>>()
        });
        for (task, claims) in live.await? {
            let claims = match claims {
                Some(claims) => claims,
                None => {
                    let ended = find_ended(server, namespace, task).await?;
                    let mut claims = ended.iter().flat_map(|ended| &ended.claims);
                    claims.any(|claim| claim.resource == resource)
                }
            };
            self.claims.insert(task, claims);
        }
        Ok(())
    }

    /// Whether somebody wants to hear of it.
    pub(super) fn passes(&mut self, event: &Event) -> bool {
        if let About::Folded { from, into } = about(event)
            && self.tasks.contains(&from)
        {
            self.leads_to(into);
        }
        match about(event) {
            About::Task(task) => self.wants(task),
            About::Tasks(tasks) => tasks.iter().any(|task| self.wants(*task)),
            About::Folded { from, into } => self.wants(from) || self.wants(into),
            About::Resource(resource) => {
                self.tasks.is_empty() && self.resource.as_ref().is_none_or(|own| own == resource)
            }
            About::Else => self.tasks.is_empty() && self.resource.is_none(),
        }
    }

    /// Whether somebody wants to hear of this task.
    pub(super) fn wants(&self, task: TaskId) -> bool {
        let claims = || self.claims.get(&task).copied().unwrap_or(false);
        (self.tasks.is_empty() || self.tasks.contains(&task))
            && (self.resource.is_none() || claims())
    }
}

fn about(event: &Event) -> About<'_> {
    match event {
        Event::Admitted(admitted) => About::Task(admitted.task),
        Event::Started(started) => About::Task(started.task),
        Event::RunEnded(ended) => About::Task(ended.task),
        Event::Merged { into: task, .. }
        | Event::Moved { task, .. }
        | Event::DependencyMet { task, .. }
        | Event::Bumped { task, .. }
        | Event::StopAsked { task, .. }
        | Event::Ended { task, .. } => About::Task(*task),
        Event::Folded { from, into, .. } => About::Folded {
            from: *from,
            into: *into,
        },
        Event::GroupFormed { tasks, .. } => About::Tasks(tasks),
        Event::HoldSet { what, .. } => match what {
            HoldTarget::Task(task) => About::Task(*task),
            HoldTarget::Resource(resource) => About::Resource(resource),
            HoldTarget::Kind(_) | HoldTarget::Namespace => About::Else,
        },
        Event::QuotaPaused { instance, .. } => match &instance.resource {
            Some(resource) => About::Resource(resource),
            None => About::Else,
        },
        _ => About::Else,
    }
}
