//! Hard state: exactly the fold of the events, with the indexes that follow from it.
//!
//! Nothing here decides. `apply` changes it, `decide` reads it.

pub(crate) mod kind;
pub(crate) mod map;
pub(crate) mod quota;
pub(crate) mod resource;
pub(crate) mod set;
pub(crate) mod slab;
pub(crate) mod table;
pub(crate) mod task;
pub(crate) mod timers;
pub(crate) mod touched;
pub(crate) mod worker;

use crate::bugs::Bug;
use crate::event::{Fired, InstanceName, Stage, Sweep};
use crate::reply::Report;
use crate::row::RowKey;
use crate::words::{
    GroupId, KindId, Name, Namespace, Now, Outcome, Quota, QuotaId, ResourceName, Schedule,
    SessionId, TaskId, Token, Wall,
};
use kind::Kinds;
use map::Map;
use quota::Instance;
use resource::Resources;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use table::TaskTable;
use task::{FoundClaims, ResourceIx, Task};
use timers::Timers;
use touched::Touched;
use worker::{Run, Session};

/// The state of a namespace.
pub(crate) struct State {
    /// Time of the last event or decision.
    pub(crate) now: Now,
    /// Log position of the next event.
    pub(crate) position: u64,
    pub(crate) generation: u32,
    pub(crate) next_task: u64,
    pub(crate) next_place: u64,
    pub(crate) next_sweep: u64,
    pub(crate) namespace: Namespace,
    pub(crate) hold: bool,
    pub(crate) kinds: Kinds,
    pub(crate) quotas: Quotas,
    pub(crate) tasks: TaskTable,
    pub(crate) running: u64,
    /// How many tasks are in each stage.
    pub(crate) stages: [u64; Stage::WORDS.len()],
    pub(crate) resources: Resources,
    pub(crate) runs: BTreeMap<Token, Run>,
    pub(crate) sessions: BTreeMap<SessionId, Session>,
    pub(crate) session_names: BTreeMap<Name, SessionId>,
    pub(crate) schedules: BTreeMap<Name, ScheduleState>,
    pub(crate) groups: BTreeMap<GroupId, Group>,
    /// Waiting tasks that submissions of the same thing may be merged into, oldest first.
    pub(crate) same: Map<SameKey, SmallVec<[TaskId; 2]>>,
    /// Who waits for a task to succeed.
    pub(crate) dependents: BTreeMap<TaskId, BTreeSet<TaskId>>,
    /// Ids that lead to another, live task.
    pub(crate) aliases: BTreeMap<TaskId, TaskId>,
    pub(crate) sweeps: BTreeMap<u64, SweepState>,
    /// Sweeps that cancel tasks on a resource, so that each is effective at once.
    pub(crate) sweeps_on: BTreeMap<ResourceName, BTreeSet<u64>>,
    pub(crate) remembered: BTreeMap<Name, Remembered>,
    pub(crate) remembered_order: VecDeque<(Wall, Name)>,
    pub(crate) timers: Timers,
    /// Derived: what changed since the last settling.
    pub(crate) dirty: Dirty,
    /// Derived: what changed since rows were last given out.
    pub(crate) touched: Touched,
    #[cfg(feature = "bugs")]
    bug: Option<Bug>,
}

/// What has to be looked at before a decision is complete.
#[derive(Default)]
pub(crate) struct Dirty {
    /// Tasks with shared claims, or none, that have just joined their lines.
    pub(crate) joined: VecDeque<TaskId>,
    /// Resources whose line, holders or barriers changed, in order of change.
    pub(crate) resources: VecDeque<ResourceIx>,
    /// Resources with a room that could not be emptied within one decision.
    pub(crate) stalled: BTreeSet<ResourceIx>,
    /// Counts of quotas where units came free or the queue changed.
    pub(crate) instances: BTreeSet<InstanceName>,
    /// Kinds that have new ready tasks.
    pub(crate) kinds: BTreeSet<KindId>,
}

/// What makes two submissions the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SameKey {
    pub(crate) kind: KindId,
    pub(crate) key: Option<Name>,
    pub(crate) claims: FoundClaims,
}

/// All quotas, their counts, and which of them have a queue.
pub(crate) struct Quotas {
    by_id: Vec<Option<Arc<Quota>>>,
    by_name: BTreeMap<Name, QuotaId>,
    pub(crate) instances: Map<InstanceName, Box<Instance>>,
    /// Counts that somebody waits for.
    pub(crate) queues: BTreeSet<InstanceName>,
}

/// A schedule as it is kept.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ScheduleState {
    pub(crate) schedule: Arc<Schedule>,
    pub(crate) paused: bool,
    pub(crate) next: Option<Wall>,
    pub(crate) last: Option<Wall>,
    pub(crate) last_fired: Option<Fired>,
    pub(crate) fired: u64,
    pub(crate) live: Option<TaskId>,
}

/// A group as it is kept, as long as one of its tasks is live.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Group {
    pub(crate) tasks: Vec<(TaskId, Option<Outcome>)>,
    pub(crate) live: BTreeSet<TaskId>,
    /// It is being cancelled, and by whom.
    pub(crate) cancelled: Option<Option<Name>>,
}

/// A sweep and how far it is.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SweepState {
    pub(crate) sweep: Sweep,
    pub(crate) cursor: (KindId, TaskId),
}

/// An acknowledged answer.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Remembered {
    pub(crate) digest: u64,
    pub(crate) reports: Vec<(Report, bool)>,
    pub(crate) group: Option<GroupId>,
    pub(crate) until: Wall,
}

impl SweepState {
    /// Before the first task.
    pub(crate) const START: (KindId, TaskId) = (KindId(0), TaskId(0));
}

impl State {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            now: Now::default(),
            position: 1,
            generation: 0,
            next_task: 1,
            next_place: 1,
            next_sweep: 1,
            namespace: Namespace::default(),
            hold: false,
            kinds: Kinds::default(),
            quotas: Quotas::new(seed),
            tasks: TaskTable::new(seed),
            running: 0,
            stages: Default::default(),
            resources: Resources::new(seed),
            runs: BTreeMap::new(),
            sessions: BTreeMap::new(),
            session_names: BTreeMap::new(),
            schedules: BTreeMap::new(),
            groups: BTreeMap::new(),
            same: Map::new(seed),
            dependents: BTreeMap::new(),
            aliases: BTreeMap::new(),
            sweeps: BTreeMap::new(),
            sweeps_on: BTreeMap::new(),
            remembered: BTreeMap::new(),
            remembered_order: VecDeque::new(),
            timers: Timers::default(),
            dirty: Dirty::default(),
            touched: Touched::default(),
            #[cfg(feature = "bugs")]
            bug: None,
        }
    }

    /// Whether a seeded bug is on.
    #[cfg(feature = "bugs")]
    pub(crate) fn bug(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    /// Seeded bugs are not compiled in.
    #[cfg(not(feature = "bugs"))]
    pub(crate) fn bug(&self, _: Bug) -> bool {
        false
    }

    #[cfg(feature = "bugs")]
    pub(crate) fn set_bug(&mut self, bug: Option<Bug>) {
        self.bug = bug;
    }

    #[cfg(not(feature = "bugs"))]
    pub(crate) fn set_bug(&mut self, _: Option<Bug>) {}

    /// A live task that an event or an index names.
    pub(crate) fn task(&self, id: TaskId) -> &Task {
        self.tasks.get(id).expect("indexes name live tasks only")
    }

    /// The same, to be changed.
    pub(crate) fn task_mut(&mut self, id: TaskId) -> &mut Task {
        let since = self.touched.since;
        if self.task(id).touched != since {
            self.keep_for_cut(id);
            self.touched.tasks.push(id);
            self.touched.replaced += usize::from(self.task(id).stored);
        }
        let task = self.task_derived_mut(id);
        task.touched = since;
        task
    }

    /// The same, where only what is derived changes.
    pub(crate) fn task_derived_mut(&mut self, id: TaskId) -> &mut Task {
        (self.tasks.get_mut(id)).expect("indexes name live tasks only")
    }

    /// A session, to be changed.
    pub(crate) fn session_mut(&mut self, id: SessionId) -> Option<&mut Session> {
        self.touched.touch(|| RowKey::Session(id));
        self.sessions.get_mut(&id)
    }

    /// A group, to be changed.
    pub(crate) fn group_mut(&mut self, id: GroupId) -> Option<&mut Group> {
        self.touched.touch(|| RowKey::Group(id));
        self.groups.get_mut(&id)
    }

    /// A count of a quota, begun if there is none, to be changed.
    pub(crate) fn count_mut(&mut self, name: &InstanceName) -> &mut Instance {
        self.touched.touch(|| RowKey::Count(name.clone()));
        self.quotas.instance_mut(name)
    }

    /// The live task that an id from outside leads to.
    pub(crate) fn find_task(&self, id: TaskId) -> Option<&Task> {
        let id = self.aliases.get(&id).copied().unwrap_or(id);
        self.tasks.get(id)
    }

    pub(crate) fn waiting(&self) -> u64 {
        self.tasks.len() as u64 - self.running
    }

    pub(crate) fn same_key(task: &Task) -> SameKey {
        SameKey {
            kind: task.kind,
            key: task.extra().key.clone(),
            claims: task.claims.clone(),
        }
    }

    /// Lets go of a count that has nothing to remember.
    pub(crate) fn drop_count_if_unused(&mut self, name: &InstanceName) {
        let (instances, now) = (&mut self.quotas.instances, self.now.elapsed);
        if (instances.get(name)).is_some_and(|found| found.is_unused(now)) {
            instances.remove(name);
            self.touched.touch(|| RowKey::Count(name.clone()));
        }
    }

    /// Lets go of a barrier that nobody is part of or behind.
    pub(crate) fn drop_barrier_if_unused(&mut self, index: ResourceIx) {
        let barrier = &mut self.resources.get_mut(index).barrier;
        if (barrier.as_ref()).is_some_and(|barrier| barrier.is_unused()) {
            *barrier = None;
        }
    }

    /// Puts a resource on the list of those to look at.
    pub(crate) fn mark(&mut self, index: ResourceIx) {
        let resource = self.resources.get_mut(index);
        if !resource.dirty {
            resource.dirty = true;
            self.dirty.resources.push_back(index);
        }
    }
}

impl Quotas {
    fn new(seed: u64) -> Self {
        Self {
            by_id: Vec::new(),
            by_name: BTreeMap::new(),
            instances: Map::new(seed),
            queues: BTreeSet::new(),
        }
    }

    pub(crate) fn find(&self, name: &Name) -> Option<QuotaId> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn get(&self, id: QuotaId) -> Option<&Arc<Quota>> {
        self.by_id.get(id.0 as usize)?.as_ref()
    }

    pub(crate) fn next_id(&self) -> QuotaId {
        QuotaId(self.by_id.len() as u32)
    }

    /// Numbers below this one were given to quotas, whether or not they still exist.
    pub(crate) fn restore_next_id(&mut self, next: u32) {
        self.by_id.resize(next as usize, None);
    }

    pub(crate) fn len(&self) -> usize {
        self.by_name.len()
    }

    pub(crate) fn set(&mut self, id: QuotaId, quota: Arc<Quota>) {
        self.by_name.insert(quota.name.clone(), id);
        let at = id.0 as usize;
        if at == self.by_id.len() {
            self.by_id.push(None);
        }
        self.by_id[at] = Some(quota);
    }

    pub(crate) fn remove(&mut self, id: QuotaId) {
        if let Some(quota) = self.by_id[id.0 as usize].take() {
            self.by_name.remove(&quota.name);
        }
    }

    /// The count of this name, begun if there is none.
    fn instance_mut(&mut self, name: &InstanceName) -> &mut Instance {
        self.instances
            .get_or_insert_with(name.clone(), Default::default)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (QuotaId, &Arc<Quota>)> {
        (self.by_id.iter().enumerate())
            .filter_map(|(at, quota)| Some((QuotaId(at as u32), quota.as_ref()?)))
    }
}
