//! The ledger: what the log says, read independently of the core, and questions about it.

use super::lines::ResourceRow;
use super::rows::{EndedRow, KindRow, RunRow, ScheduleRow, SessionRow, TaskRow};
use interlock_core::command::HoldTarget;
use interlock_core::event::{InstanceName, Sweep};
use interlock_core::words::{
    Elapsed, GroupId, KindId, Name, Namespace, Now, Quota, QuotaId, ResourceName, Scope, SessionId,
    TaskId, Token,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the log says.
#[derive(Default)]
pub struct Ledger {
    /// The time of the last decision.
    pub now: Now,
    /// The position that the next event must have; 0 before the first.
    pub position: u64,
    /// The store's generation.
    pub generation: u32,
    /// When the namespace was last opened.
    pub opened: Elapsed,
    /// Settings.
    pub namespace: Namespace,
    /// Kinds.
    pub kinds: BTreeMap<KindId, KindRow>,
    /// Quotas.
    pub quotas: BTreeMap<QuotaId, Arc<Quota>>,
    /// Pauses of quotas.
    pub pauses: BTreeMap<InstanceName, Elapsed>,
    /// Tasks that wait for units, in order.
    pub queues: BTreeMap<InstanceName, BTreeMap<(i64, u64), TaskId>>,
    /// Live tasks.
    pub tasks: BTreeMap<TaskId, TaskRow>,
    /// Ended tasks.
    pub ended: BTreeMap<TaskId, EndedRow>,
    /// Where a folded or merged id leads.
    pub folded: BTreeMap<TaskId, TaskId>,
    /// Ids that submitters were told, folded ones included.
    pub told: BTreeSet<TaskId>,
    /// All runs there ever were.
    pub runs: BTreeMap<Token, RunRow>,
    /// Lease ends of live runs.
    pub deadlines: BTreeSet<(Elapsed, Token)>,
    /// Resources.
    pub resources: BTreeMap<ResourceName, ResourceRow>,
    /// Sessions that have not departed.
    pub sessions: BTreeMap<SessionId, SessionRow>,
    /// What is held, but for single tasks.
    pub holds: BTreeSet<HoldTarget>,
    /// Schedules.
    pub schedules: BTreeMap<Name, ScheduleRow>,
    /// Groups.
    pub groups: BTreeMap<GroupId, Vec<TaskId>>,
    /// Sweeps under way.
    pub sweeps: BTreeMap<u64, Sweep>,
    /// The highest number that a submission drew.
    pub last_task: Option<TaskId>,
}

impl Ledger {
    /// A kind by its name.
    pub fn kind_named(&self, name: &Name) -> Option<(KindId, &KindRow)> {
        self.kinds
            .iter()
            .find(|(_, row)| &row.kind.name == name)
            .map(|(id, row)| (*id, row))
    }

    /// A kind that tasks still have.
    pub fn kind(&self, id: KindId) -> Option<&KindRow> {
        self.kinds.get(&id)
    }

    /// A quota by its name.
    pub fn quota_named(&self, name: &Name) -> Option<(QuotaId, &Arc<Quota>)> {
        self.quotas
            .iter()
            .find(|(_, quota)| &quota.name == name)
            .map(|(id, quota)| (*id, quota))
    }

    /// The count of a quota that a task's start would take from.
    pub fn instance(&self, quota: QuotaId, task: &TaskRow) -> Option<InstanceName> {
        let resource = match &self.quotas.get(&quota)?.scope {
            Scope::Namespace => None,
            Scope::Per(kind) => Some(
                task.claims
                    .iter()
                    .find(|(resource, _)| resource.resource_type() == kind.as_str())?
                    .0
                    .clone(),
            ),
        };
        Some(InstanceName { quota, resource })
    }

    /// What the start of a task costs, by count.
    pub fn costs(&self, task: &TaskRow) -> Vec<(InstanceName, u64)> {
        let Some(kind) = self.kind(task.kind) else {
            return Vec::new();
        };
        kind.kind
            .quotas
            .iter()
            .filter_map(|used| {
                let (id, _) = self.quota_named(&used.quota)?;
                Some((self.instance(id, task)?, u64::from(used.cost)))
            })
            .collect()
    }

    /// Where an id leads: through folds and merges to the task that stands for it.
    pub fn leads_to(&self, id: TaskId) -> TaskId {
        let mut at = id;
        while let Some(next) = self.folded.get(&at) {
            at = *next;
        }
        at
    }

    /// The task that an id leads to, if it is live.
    pub fn live(&self, id: TaskId) -> Option<&TaskRow> {
        self.tasks.get(&self.leads_to(id))
    }

    /// A live run.
    pub fn run(&self, token: Token) -> Option<&RunRow> {
        self.runs.get(&token).filter(|run| !run.ended)
    }

    /// What keeps a task from starting by somebody's wish.
    pub fn holds_on(&self, task: &TaskRow) -> Vec<HoldTarget> {
        let mut found = Vec::new();
        if task.held {
            found.push(HoldTarget::Task(task.id));
        }
        let kind = self
            .kind(task.kind)
            .map(|row| HoldTarget::Kind(row.kind.name.clone()));
        let resources = task
            .claims
            .iter()
            .map(|(r, _)| HoldTarget::Resource(r.clone()));
        let wider = resources.chain(kind).chain([HoldTarget::Namespace]);
        found.extend(wider.filter(|target| self.holds.contains(target)));
        found
    }

    /// Whether nothing is under way in slices.
    pub fn is_settled(&self) -> bool {
        self.sweeps.is_empty()
    }

    /// Whether a session may be given work.
    pub fn may_take(&self, session: SessionId) -> bool {
        self.sessions
            .get(&session)
            .is_some_and(|row| !row.lost && !row.drained)
    }
}
