//! Tasks come, join one another, and learn that what they waited for is done.

use crate::bugs::Bug;
use crate::event::{Admitted, Charges};
use crate::state::State;
use crate::state::task::{Extra, FoundClaim, Part, Task};
use crate::state::timers::WallTimer;
use crate::words::{Op, Payload, PayloadRule, TaskId};

impl State {
    pub(crate) fn apply_admitted(&mut self, admitted: &Admitted) {
        self.next_task = self.next_task.max(admitted.task.0 + 1);
        let claims = (admitted.claims.iter())
            .map(|(name, op)| FoundClaim {
                resource: self.resources.find_or_add(name),
                op: *op,
            })
            .collect();
        let task = Box::new(Task {
            id: admitted.task,
            kind: admitted.kind,
            priority: admitted.priority,
            coalesces: admitted.coalesces,
            hold: admitted.hold,
            arrived: false,
            joined: false,
            last_run: None,
            claims,
            payload: admitted.payload.clone(),
            payload_seq: admitted.task,
            stage: admitted.to.clone(),
            spot: admitted.spot,
            accepted: 0,
            arrival: 0,
            stands_for: 1,
            tries: 0,
            losses: 0,
            submitted: self.now.wall,
            extra: extra_of(admitted),
            exposed: false,
            watch: None,
            touched: self.touched.since,
            stored: false,
        });
        if self.touched.on {
            self.touched.tasks.push(task.id);
        }
        self.add_task(task);
    }

    /// Puts a task into the table and every index.
    pub(crate) fn add_task(&mut self, task: Box<Task>) {
        let id = task.id;
        for claim in &task.claims {
            self.resources.add_task(claim.resource, (task.kind, id));
            let resource = self.resources.get_mut(claim.resource);
            if claim.op == Op::Create {
                let barrier = resource.barrier.get_or_insert_default();
                barrier.creates.insert(id);
            }
            // One that comes from a row may have come to its resources before.
            if claim.op.is_lifecycle() && task.arrival != 0 {
                let barrier = resource.barrier.get_or_insert_default();
                barrier.chain.insert(task.arrival, (id, claim.op));
            }
        }
        let extra = task.extra();
        for on in &extra.after {
            self.dependents.entry(*on).or_default().insert(id);
        }
        for alias in &extra.aliases {
            self.aliases.insert(*alias, id);
        }
        if let Some(start_by) = extra.start_by {
            self.timers.wall.insert((start_by, WallTimer::StartBy(id)));
        }
        self.kinds.get_mut(task.kind).tasks.insert(id);
        self.tasks.insert(task);
        self.enter(id);
    }

    pub(crate) fn apply_merged(
        &mut self,
        into: TaskId,
        seq: TaskId,
        payload: &Payload,
        priority: u8,
        rank: i64,
    ) {
        let rule = self.payload_rule(into);
        let task = self.task_mut(into);
        task.stands_for += 1;
        task.priority = priority;
        merge_payload(task, rule, seq, payload, Vec::new());
        if let Some(extra) = &mut task.extra {
            extra.first_run = None;
        }
        self.rerank(into, rank);
    }

    pub(crate) fn apply_folded(&mut self, from: TaskId, into: TaskId, priority: u8, rank: i64) {
        let rule = self.payload_rule(into);
        self.keep_for_cut(from);
        self.leave(from);
        self.return_set_aside(from);
        self.forget_task(from);
        let mut gone = self.tasks.remove(from);
        if gone.stored {
            self.touched.gone.push(from);
        }
        let dependents = self.dependents.remove(&from).unwrap_or_default();
        for dependent in &dependents {
            let after = &mut self.task_mut(*dependent).extra_mut().after;
            for on in after.iter_mut().filter(|on| **on == from) {
                *on = into;
            }
        }
        if !dependents.is_empty() {
            self.dependents.entry(into).or_default().extend(dependents);
        }
        let extra = gone.extra.take().map(|extra| *extra).unwrap_or_default();
        for alias in extra.aliases.iter().chain([&from]) {
            self.aliases.insert(*alias, into);
        }
        for group in &extra.groups {
            if let Some(group) = self.group_mut(*group) {
                group.live.remove(&from);
                group.live.insert(into);
                let tasks = group.tasks.iter_mut();
                tasks
                    .filter(|(task, _)| *task == from)
                    .for_each(|entry| entry.0 = into);
            }
        }
        let task = self.task_mut(into);
        task.stands_for += gone.stands_for;
        task.priority = priority;
        merge_payload(task, rule, gone.payload_seq, &gone.payload, extra.parts);
        let kept = task.extra_mut();
        kept.first_run = None;
        kept.aliases.extend(extra.aliases);
        kept.aliases.push(from);
        kept.groups.extend(extra.groups);
        self.rerank(into, rank);
    }

    pub(crate) fn apply_dependency_met(&mut self, task: TaskId, on: TaskId) {
        self.task_mut(task)
            .extra_mut()
            .after
            .retain(|other| *other != on);
        self.drop_dependent(task, on);
    }

    pub(crate) fn drop_dependent(&mut self, task: TaskId, on: TaskId) {
        if let Some(waiting) = self.dependents.get_mut(&on) {
            waiting.remove(&task);
            if waiting.is_empty() {
                self.dependents.remove(&on);
            }
        }
    }

    pub(crate) fn apply_set_aside(&mut self, id: TaskId, charges: &Charges) {
        for (name, cost) in charges {
            self.count_mut(name).set_aside += u64::from(*cost);
        }
        self.task_mut(id).extra_mut().set_aside = charges.clone();
    }

    /// Gives back the units that were set aside for a task.
    pub(crate) fn return_set_aside(&mut self, id: TaskId) {
        let Some(extra) = &mut self.task_mut(id).extra else {
            return;
        };
        let set_aside = std::mem::take(&mut extra.set_aside);
        let leaks = self.bug(Bug::SetAsideLeaks) && !self.task(id).is_running();
        for (name, cost) in set_aside {
            if leaks {
                continue;
            }
            self.count_mut(&name).set_aside -= u64::from(cost);
            self.dirty.instances.insert(name);
        }
    }

    fn payload_rule(&self, id: TaskId) -> PayloadRule {
        let kind = &self.kinds.get(self.task(id).kind).kind;
        let coalesce = kind.coalesce.as_ref();
        match coalesce.map_or(PayloadRule::Latest, |coalesce| coalesce.payload) {
            PayloadRule::Latest if self.bug(Bug::FirstPayloadStays) => PayloadRule::First,
            rule => rule,
        }
    }
}

/// Adds a payload by the kind's rule. `parts` says what it is made of, if of several submissions.
fn merge_payload(
    task: &mut Task,
    rule: PayloadRule,
    seq: TaskId,
    payload: &Payload,
    parts: Vec<Part>,
) {
    let newer = seq > task.payload_seq;
    match rule {
        PayloadRule::Latest if newer => task.payload = payload.clone(),
        PayloadRule::First if !newer => task.payload = payload.clone(),
        PayloadRule::Append => append(task, seq, payload, parts),
        PayloadRule::Latest | PayloadRule::First => {}
    }
    task.payload_seq = match rule {
        PayloadRule::First => task.payload_seq.min(seq),
        PayloadRule::Latest | PayloadRule::Append => task.payload_seq.max(seq),
    };
}

/// Appends by order of submission, also if one that was due later comes between others.
fn append(task: &mut Task, seq: TaskId, payload: &Payload, parts: Vec<Part>) {
    let last = task.payload_seq;
    let mut mine = std::mem::take(&mut task.extra_mut().parts);
    if mine.is_empty() {
        mine = whole(last, &task.payload);
    }
    let theirs = if parts.is_empty() {
        whole(seq, payload)
    } else {
        parts
    };
    let in_order = theirs.first().is_none_or(|first| first.seq > last);
    if in_order {
        task.payload = task.payload.joined(payload);
        mine.extend(theirs);
    } else {
        let mut pieces = split(&task.payload, &mine);
        pieces.extend(split(payload, &theirs));
        pieces.sort_by_key(|(part, _)| part.seq);
        let items: Vec<&[u8]> = pieces.iter().map(|(_, items)| *items).collect();
        let joined = [b"[", items.join(&b',').as_slice(), b"]"].concat();
        mine = pieces.iter().map(|(part, _)| *part).collect();
        task.payload = Payload::from(joined);
    }
    task.extra_mut().parts = mine;
}

/// The part that a payload is if one submission brought it.
fn whole(seq: TaskId, payload: &Payload) -> Vec<Part> {
    let bytes = payload.items().len();
    (bytes > 0)
        .then_some(Part { seq, bytes })
        .into_iter()
        .collect()
}

/// The items of a payload that each submission brought.
fn split<'a>(payload: &'a Payload, parts: &[Part]) -> Vec<(Part, &'a [u8])> {
    let mut rest = payload.items();
    (parts.iter())
        .map(|part| {
            let (items, after) = rest.split_at(part.bytes);
            rest = after.get(1..).unwrap_or_default();
            (*part, items)
        })
        .collect()
}

/// What is rarely set, if anything is.
fn extra_of(admitted: &Admitted) -> Option<Box<Extra>> {
    let plain = admitted.key.is_none()
        && admitted.start_by.is_none()
        && admitted.after.is_empty()
        && admitted.tags.is_empty()
        && admitted.parent.is_none()
        && admitted.schedule.is_none()
        && admitted.retry_of.is_none()
        && admitted.trace.is_none();
    (!plain).then(|| {
        Box::new(Extra {
            key: admitted.key.clone(),
            due: admitted.due.filter(|_| !admitted.after.is_empty()),
            start_by: admitted.start_by,
            after: admitted.after.clone(),
            tags: admitted.tags.clone(),
            parent: admitted.parent,
            schedule: admitted.schedule.clone(),
            retry_of: admitted.retry_of,
            trace: admitted.trace.clone(),
            ..Extra::default()
        })
    })
}
