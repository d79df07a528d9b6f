//! From words to the core's nouns: kinds, quotas, schedules, submissions, ways to finish.

use super::span;
use super::words::Words;
use interlock_core::command::{Again, FinishHow, HoldTarget, Progress, RunError, Used};
use interlock_core::words::{
    After, Claim, Coalesce, Due, IfBusy, Kind, Limit, Name, OnLoss, Op, Payload, PayloadRule,
    Quota, QuotaUse, ResourceName, Retry, Schedule, Scope, Submission, TaskId, Timing, Waits, Wall,
};

pub(crate) fn name(text: &str) -> Name {
    Name::new(text).expect("tables use good names")
}

pub(crate) fn resource(text: &str) -> ResourceName {
    ResourceName::new(text).expect("tables use good resources")
}

pub(crate) fn task(text: &str) -> TaskId {
    TaskId(
        text.parse()
            .unwrap_or_else(|_| panic!("{text} is no task id")),
    )
}

fn op(text: &str) -> Op {
    match text {
        "read" => Op::Read,
        "update" => Op::Update,
        "create" => Op::Create,
        "delete" => Op::Delete,
        _ => panic!("{text} is no operation"),
    }
}

fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
}

/// `kind NAME [op=] [priority=] [coalesce=latest|first|append] [gather=] [cancels=a,b] [retry=3m,20m]
/// [for=] [tries=] [quota=a:1,b:0] [loss=cancel|retry:3] [lease=] [within=] [grace=] [waiting=]
/// [keep=]`
pub(crate) fn kind(mut words: Words<'_>) -> Kind {
    let mut kind = Kind::new(name(words.need("the kind's name")));
    if let Some(text) = words.option("op") {
        kind.op = op(text);
    }
    if let Some(text) = words.option("priority") {
        kind.priority = text.parse().expect("a priority");
    }
    kind.coalesce = coalesce(&mut words);
    kind.cancels = words
        .option("cancels")
        .into_iter()
        .flat_map(list)
        .map(name)
        .collect();
    kind.retry = retry(&mut words);
    kind.quotas = words
        .option("quota")
        .into_iter()
        .flat_map(list)
        .map(quota_use)
        .collect();
    kind.on_loss = match words.option("loss") {
        None => OnLoss::default(),
        Some("cancel") => OnLoss::Cancel,
        Some(text) => OnLoss::Retry {
            losses_max: text.trim_start_matches("retry:").parse().expect("losses"),
        },
    };
    if let Some(text) = words.option("lease") {
        kind.lease_ms = span::parse(text);
    }
    kind.run_within_ms = words.option("within").map(span::parse);
    if let Some(text) = words.option("grace") {
        kind.grace_ms = span::parse(text);
    }
    kind.waiting_max = words
        .option("waiting")
        .map(|text| text.parse().expect("a cap"));
    if let Some(text) = words.option("keep") {
        kind.retention.succeeded_ms = span::parse(text);
    }
    words.done();
    kind
}

fn coalesce(words: &mut Words<'_>) -> Option<Coalesce> {
    let payload = match words.option("coalesce")? {
        "latest" => PayloadRule::Latest,
        "first" => PayloadRule::First,
        "append" => PayloadRule::Append,
        other => panic!("{other} is no rule for payloads"),
    };
    let gather_ms = words.option("gather").map_or(0, span::parse);
    Some(Coalesce { payload, gather_ms })
}

fn retry(words: &mut Words<'_>) -> Retry {
    let mut retry = Retry::default();
    if let Some(text) = words.option("retry") {
        retry.waits = waits(text);
    }
    if let Some(text) = words.option("for") {
        retry.window_ms = span::parse(text);
    }
    retry.tries_max = words
        .option("tries")
        .map(|text| text.parse().expect("tries"));
    retry
}

fn waits(text: &str) -> Waits {
    if text == "none" {
        return Waits::Ladder(Vec::new());
    }
    match text
        .strip_prefix("exp:")
        .and_then(|range| range.split_once(".."))
    {
        Some((first, most)) => Waits::Exponential {
            first_ms: span::parse(first),
            most_ms: span::parse(most),
        },
        None => Waits::Ladder(list(text).map(span::parse).collect()),
    }
}

fn quota_use(text: &str) -> QuotaUse {
    let (quota, cost) = text.split_once(':').unwrap_or((text, "1"));
    QuotaUse {
        quota: name(quota),
        cost: cost.parse().expect("a cost"),
    }
}

/// `quota NAME [per=shop] 10/1s 10000/24h at_once:4`
pub(crate) fn quota(mut words: Words<'_>) -> Quota {
    let quota_name = name(words.need("the quota's name"));
    let scope = match words.option("per") {
        None => Scope::Namespace,
        Some(resource_type) => Scope::Per(name(resource_type)),
    };
    let limits = words.all(|_| true).into_iter().map(limit).collect();
    Quota {
        name: quota_name,
        scope,
        limits,
    }
}

fn limit(text: &str) -> Limit {
    if let Some(units) = text.strip_prefix("at_once:") {
        return Limit::AtOnce(units.parse().expect("units"));
    }
    let (units, per) = text
        .split_once('/')
        .unwrap_or_else(|| panic!("{text} is no limit"));
    Limit::Window {
        units: units.parse().expect("units"),
        per_ms: span::parse(per),
    }
}

/// `schedule NAME every=10m [from=5m] [times=3] : KIND CLAIM… OPTION…`, or with
/// `cron=0_3_*_*_* zone=Europe/Prague`.
pub(crate) fn schedule(words: Words<'_>, epoch: Wall) -> Schedule {
    let mut pieces = words.pieces(":").into_iter();
    let mut head = pieces.next().expect("the schedule's name");
    let schedule_name = name(head.need("the schedule's name"));
    let timing = match head.option("cron") {
        Some(expression) => Timing::Cron {
            expression: expression.replace('_', " "),
            zone: head.option("zone").unwrap_or("UTC").to_owned(),
        },
        None => Timing::Every {
            every_ms: span::parse(head.option("every").expect("every= or cron=")),
            start: head
                .option("from")
                .map(|text| epoch.plus(span::parse(text))),
            count: head
                .option("times")
                .map(|text| text.parse().expect("a count")),
        },
    };
    head.done();
    let body = pieces.next().expect("what the schedule submits");
    Schedule {
        name: schedule_name,
        timing,
        submission: submission(body, epoch),
    }
}

/// `KIND CLAIM… [due=10m|@10m] [prio=] [key=] [if_busy=reject] [start_within=] [after=1,#0] [hold]
/// [tag=] [idem=] [payload=] [retry_of=] [trace=]`; a claim is `type:id` or `type:id/op`.
pub(crate) fn submission(mut words: Words<'_>, epoch: Wall) -> Submission {
    let kind = name(words.need("the kind"));
    let claims = words.all(|word| word.contains(':') && !word.contains('='));
    let mut submission = Submission::new(kind, claims.into_iter().map(claim).collect());
    submission.due = words
        .option("due")
        .map(|text| match text.strip_prefix('@') {
            Some(at) => Due::At(epoch.plus(span::parse(at))),
            None => Due::In(span::parse(text)),
        });
    submission.priority = words
        .option("prio")
        .map(|text| text.parse().expect("a priority"));
    submission.key = words.option("key").map(name);
    if words.option("if_busy") == Some("reject") {
        submission.if_busy = IfBusy::Reject;
    }
    submission.start_within_ms = words.option("start_within").map(span::parse);
    submission.after = words
        .option("after")
        .into_iter()
        .flat_map(list)
        .map(after)
        .collect();
    submission.hold = words.flag("hold");
    submission.tags = words
        .option("tag")
        .into_iter()
        .flat_map(list)
        .map(name)
        .collect();
    submission.idempotency_key = words.option("idem").map(name);
    submission.payload = words
        .option("payload")
        .map(Payload::from)
        .unwrap_or_default();
    submission.retry_of = words.option("retry_of").map(task);
    submission.trace = words.option("trace").map(Into::into);
    words.done();
    submission
}

fn claim(text: &str) -> Claim {
    match text.split_once('/') {
        Some((of, how)) => Claim::new(resource(of), op(how)),
        None => Claim {
            resource: resource(text),
            op: None,
        },
    }
}

fn after(text: &str) -> After {
    match text.strip_prefix('#') {
        Some(item) => After::Item(item.parse().expect("an item")),
        None => After::Task(task(text)),
    }
}

/// `ok [result=]`, `fail [error=] [again=90s|never]` or `release`; `None` if no such word is there.
pub(crate) fn finish_how(words: &mut Words<'_>) -> Option<FinishHow> {
    if words.flag("ok") {
        let result = words
            .option("result")
            .map(Payload::from)
            .unwrap_or_default();
        return Some(FinishHow::Succeed { result });
    }
    if words.flag("release") {
        return Some(FinishHow::Release);
    }
    if !words.flag("fail") {
        return None;
    }
    let error = RunError {
        message: words.option("error").unwrap_or("boom").into(),
        detail: "".into(),
    };
    let again = match words.option("again") {
        None => Again::AsKindSays,
        Some("never") => Again::Never,
        Some(text) => Again::In(span::parse(text)),
    };
    Some(FinishHow::Fail { error, again })
}

/// `quota:units`
pub(crate) fn used(text: &str) -> Used {
    let (quota, units) = text.split_once(':').expect("quota:units");
    Used {
        quota: name(quota),
        units: units.parse().expect("units"),
    }
}

/// `3/10` or `3`
pub(crate) fn progress(text: &str) -> Progress {
    let (done, total) = text
        .split_once('/')
        .map_or((text, None), |(d, t)| (d, Some(t)));
    Progress {
        done: done.parse().expect("units done"),
        total: total.map(|text| text.parse().expect("units in all")),
        unit: "files".into(),
        message: "".into(),
    }
}

/// `task 3`, `resource shop:42`, `kind sync` or `namespace`
pub(crate) fn hold_target(words: &mut Words<'_>) -> HoldTarget {
    match words.need("what to hold") {
        "task" => HoldTarget::Task(task(words.need("the task"))),
        "resource" => HoldTarget::Resource(resource(words.need("the resource"))),
        "kind" => HoldTarget::Kind(name(words.need("the kind"))),
        "namespace" => HoldTarget::Namespace,
        other => panic!("{other} can't be held"),
    }
}
