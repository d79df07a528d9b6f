//! From replies and views to the last column of a table.

use super::span;
use interlock_core::Refusal;
use interlock_core::command::{HoldTarget, Progress};
use interlock_core::event::{EndWhy, Fired};
use interlock_core::reply::{
    Answer, Brief, BudgetNews, Finished, HandOut, Order, Reason, Report, Spending, StopWhy, Verdict,
};
use interlock_core::view::{
    Explanation, QuotaView, ResourceState, ResourceView, ScheduleView, WorkerView,
};
use interlock_core::words::{Claim, Limit, Name, Outcome, TaskId, Wall};

/// How much a row shows.
#[derive(Clone, Copy, Default)]
pub(crate) struct Style {
    /// Name the resource with each reason.
    pub(crate) resources: bool,
    /// Show everything about the tasks that stand in the way.
    pub(crate) long: bool,
    /// Where the wall clock began: walls are shown as spans from there.
    pub(crate) epoch: Wall,
}

impl Style {
    fn wall(self, wall: Wall) -> String {
        match wall.0.checked_sub(self.epoch.0) {
            Some(ms) => span::show(ms),
            None => format!("-{}", span::show(self.epoch.0 - wall.0)),
        }
    }
}

pub(crate) fn answer(answer: &Answer, style: Style) -> String {
    match answer {
        Answer::Admitted(report) => admitted(report, style),
        Answer::Coalesced(report) => coalesced(report, style),
        Answer::Rejected { reasons: why } => format!("rejected: {}", reasons(why, style)),
        Answer::Refused(refusal) => format!("refused: {}", self::refusal(refusal)),
    }
}

fn admitted(report: &Report, style: Style) -> String {
    let task = report.task.map_or("-".to_owned(), |task| task.to_string());
    let text = match report.verdict {
        Verdict::Accepted => format!("accepted {task}"),
        Verdict::Postponed => format!("postponed {task}: {}", reasons(&report.reasons, style)),
    };
    text + &report_tail(report, style)
}

fn coalesced(report: &Report, style: Style) -> String {
    let task = report.task.map_or("-".to_owned(), |task| task.to_string());
    let verdict = match report.verdict {
        Verdict::Accepted => "accepted".to_owned(),
        Verdict::Postponed => format!("postponed: {}", reasons(&report.reasons, style)),
    };
    let count = report.stands_for;
    format!(
        "coalesced {task} x{count}, {verdict}{}",
        report_tail(report, style)
    )
}

fn report_tail(report: &Report, style: Style) -> String {
    let mut text = String::new();
    if style.long {
        for line in &report.lines {
            text += &format!(" [{} {}]", line.resource, line.waiting);
        }
    }
    if report.repeated {
        text += " (repeated)";
    }
    text
}

/// Reasons in a fixed order of sorts; tasks in the same role share one word: `ahead 2 3`.
pub(crate) fn reasons(reasons: &[Reason], style: Style) -> String {
    let mut roles: Vec<(usize, String, Vec<String>)> = Vec::new();
    for reason in reasons {
        let (order, role, one) = role(reason, style);
        match roles.iter_mut().find(|(_, known, _)| *known == role) {
            Some((_, _, members)) => members.push(one),
            None => roles.push((order, role, vec![one])),
        }
    }
    roles.sort();
    let shown = roles.into_iter().map(|(_, role, mut members)| {
        members.sort_by_key(|one| one.split(' ').next().and_then(|id| id.parse::<u64>().ok()));
        role.replace('%', &members.join(" "))
    });
    let text = shown.collect::<Vec<_>>().join(", ");
    if text.is_empty() {
        "-".to_owned()
    } else {
        text
    }
}

/// The order of a reason's sort, its role with `%` for the tasks concerned, and the task concerned.
fn role(reason: &Reason, style: Style) -> (usize, String, String) {
    let on = |resource: &dyn std::fmt::Display| match style.resources {
        true => format!(" on {resource}"),
        false => String::new(),
    };
    let one = |by: &Brief| brief(by, style);
    match reason {
        Reason::HeldBy { resource, by } => (0, format!("held by %{}", on(resource)), one(by)),
        Reason::Ahead { resource, by } => (1, format!("ahead %{}", on(resource)), one(by)),
        Reason::Behind { resource, by } => (2, format!("behind %{}", on(resource)), one(by)),
        Reason::Doomed { resource, by } => (3, format!("doomed by %{}", on(resource)), one(by)),
        Reason::FutureDecided { resource, by, op } => (
            4,
            format!("future decided by {op} %{}", on(resource)),
            one(by),
        ),
        Reason::EarlierItem { resource, item, op } => (
            4,
            format!("future decided by {op} %{}", on(resource)),
            format!("#{item}"),
        ),
        Reason::Scheduled { until } => (
            5,
            format!("scheduled until {}", style.wall(*until)),
            String::new(),
        ),
        Reason::Gathering { until } => (
            6,
            format!("gathering until {}", span::show(until.0)),
            String::new(),
        ),
        Reason::Retrying { until, .. } => (
            7,
            format!("retrying until {}", style.wall(*until)),
            String::new(),
        ),
        Reason::Throttled { quota, until, .. } => {
            let until = until.map_or(String::new(), |at| format!(" until {}", span::show(at.0)));
            (8, format!("throttled by {quota}{until}"), String::new())
        }
        Reason::Dependent { on } => (9, "dependent on %".to_owned(), one(on)),
        Reason::DependencyFailed { on } => (10, "dependency failed %".to_owned(), on.to_string()),
        Reason::Held { what } => (11, format!("held: {}", hold_target(what)), String::new()),
        Reason::NoWorker { kind } => (12, format!("no worker for {kind}"), String::new()),
        Reason::Ready => (13, "ready".to_owned(), String::new()),
    }
}

fn hold_target(what: &HoldTarget) -> String {
    match what {
        HoldTarget::Task(task) => format!("task {task}"),
        HoldTarget::Resource(resource) => format!("resource {resource}"),
        HoldTarget::Kind(kind) => format!("kind {kind}"),
        HoldTarget::Namespace => "namespace".to_owned(),
    }
}

fn brief(brief: &Brief, style: Style) -> String {
    if !style.long {
        return brief.task.to_string();
    }
    let mut text = format!("{} ({}", brief.task, brief.kind);
    if let Some(worker) = &brief.worker {
        text += &format!(" on {worker}");
    }
    if let Some(ms) = brief.running_ms {
        text += &format!(" for {}", span::show(ms));
    }
    if let Some(far) = &brief.progress {
        text += &format!(", {}", progress(far));
    }
    text + ")"
}

pub(crate) fn progress(progress: &Progress) -> String {
    let total = progress
        .total
        .map_or(String::new(), |total| format!("/{total}"));
    format!("{}{total} {}", progress.done, progress.unit)
}

pub(crate) fn refusal(refusal: &Refusal) -> String {
    let code = refusal.code();
    let names = |names: &[Name]| {
        let mut names: Vec<_> = names.iter().map(|name| format!(" {name}")).collect();
        names.sort();
        names.concat()
    };
    match refusal {
        Refusal::UnknownKind { known, .. } => format!("{code}, known:{}", names(known)),
        Refusal::NameInUse { wait_ms, .. } => format!("{code} for {}", span::show(*wait_ms)),
        Refusal::StandsForSeveral { count, .. } => format!("{code} {count}"),
        Refusal::Ended { outcome, .. } => format!("{code} {}", self::outcome(*outcome)),
        Refusal::GroupNotAdmitted { item } => format!("{code} #{item}"),
        Refusal::KindInUse { tasks, .. } => format!("{code} {tasks}"),
        Refusal::ConflictsWithAncestor { ancestor, .. } => format!("{code} {ancestor}"),
        _ => code.to_owned(),
    }
}

pub(crate) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Succeeded => "succeeded",
        Outcome::Failed => "failed",
        Outcome::Cancelled => "cancelled",
    }
}

pub(crate) fn finished(finished: &Result<Finished, Refusal>, style: Style) -> String {
    match finished {
        Ok(Finished::Ended(how)) => outcome(*how).to_owned(),
        Ok(Finished::Retrying(at)) => format!("retrying at {}", style.wall(*at)),
        Ok(Finished::Waiting) => "waiting".to_owned(),
        Err(why) => format!("refused: {}", refusal(why)),
    }
}

pub(crate) fn order(order: Order) -> String {
    let why = |why: StopWhy| match why {
        StopWhy::Cancelled => "cancelled",
        StopWhy::TooLong => "too long",
    };
    match order {
        Order::GoOn => "go on".to_owned(),
        Order::Stop(reason) => format!("stop: {}", why(reason)),
        Order::Ending(reason) => format!("ending: {}", why(reason)),
        Order::Gone => "gone".to_owned(),
    }
}

pub(crate) fn budget_news(news: &[BudgetNews]) -> String {
    let shown = news.iter().map(|news| {
        let pause = match news.paused_ms {
            0 => String::new(),
            ms => format!(" paused for {}", span::show(ms)),
        };
        format!(" [{} slice {}{pause}]", news.quota, news.slice)
    });
    shown.collect()
}

pub(crate) fn spending(spending: Spending) -> String {
    match spending {
        Spending::Granted => "granted".to_owned(),
        Spending::Wait { wait_ms } => format!("wait {}", span::show(wait_ms)),
    }
}

pub(crate) fn end_why(why: &EndWhy) -> String {
    match why {
        EndWhy::Success => String::new(),
        EndWhy::Failure { error } => error.message.to_string(),
        EndWhy::WorkerLost => "worker lost".to_owned(),
        EndWhy::RanTooLong => "ran too long".to_owned(),
        EndWhy::Asked { by: None } => "asked".to_owned(),
        EndWhy::Asked { by: Some(by) } => format!("asked by {by}"),
        EndWhy::NotStartedInTime => "not started in time".to_owned(),
        EndWhy::ResourceDeleted { by, .. } => format!("deleted by {by}"),
        EndWhy::ResourceNotCreated { by, .. } => format!("not created by {by}"),
        EndWhy::DependencyFailed { on } => format!("dependency failed {on}"),
        EndWhy::FutureDecided { by, .. } => format!("future decided by {by}"),
        EndWhy::CancelledBy { by } => format!("cancelled by {by}"),
    }
}

pub(crate) fn claims(claims: &[Claim]) -> String {
    let mut sorted = claims.to_vec();
    sorted.sort();
    let shown = sorted.iter().map(|claim| {
        let op = claim.op.map_or("-".to_owned(), |op| op.to_string());
        format!("{op} {}", claim.resource)
    });
    shown.collect::<Vec<_>>().join(" + ")
}

/// One field of a hand-out.
pub(crate) fn hand_out(hand_out: &HandOut, field: &str) -> String {
    match field {
        "attempt" => format!("attempt {}", hand_out.attempt),
        "count" => format!("x{}", hand_out.stands_for),
        "lease" => format!("lease {}", span::show(hand_out.lease_ms)),
        "within" => hand_out
            .run_within_ms
            .map_or("no limit".to_owned(), span::show),
        "claims" => claims(&hand_out.claims),
        "kind" => hand_out.kind.to_string(),
        "trace" => hand_out.trace.as_deref().unwrap_or("no trace").to_owned(),
        "payload" => String::from_utf8_lossy(hand_out.payload.bytes()).into_owned(),
        "budgets" => budgets(hand_out),
        _ => panic!("a hand-out has no field {field}"),
    }
}

fn budgets(hand_out: &HandOut) -> String {
    let shown = hand_out.budgets.iter().map(|budget| {
        let windows = budget.recent.iter();
        let recent = windows.map(|uses| uses.iter().map(|(_, units)| units).sum::<u64>());
        let recent = recent
            .map(|units| units.to_string())
            .collect::<Vec<_>>()
            .join(" ");
        format!(
            "{} {} recent {recent}",
            budget.quota,
            limits(&budget.limits)
        )
    });
    let text = shown.collect::<Vec<_>>().join(", ");
    if text.is_empty() {
        "no budget".to_owned()
    } else {
        text
    }
}

fn limits(limits: &[Limit]) -> String {
    limits
        .iter()
        .map(|one| limit(*one))
        .collect::<Vec<_>>()
        .join(" ")
}

fn limit(limit: Limit) -> String {
    match limit {
        Limit::Window { units, per_ms } => format!("{units}/{}", span::show(per_ms)),
        Limit::AtOnce(units) => format!("at_once:{units}"),
    }
}

pub(crate) fn ids<'a>(ids: impl IntoIterator<Item = &'a TaskId>) -> String {
    ids.into_iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(" ")
}

pub(crate) fn resource(view: &ResourceView) -> String {
    let state = match view.state {
        ResourceState::Idle => "idle",
        ResourceState::Busy => "busy",
        ResourceState::Queued => "queued",
        ResourceState::Failing => "failing",
        ResourceState::Held => "held",
    };
    let mut parts = vec![state.to_owned()];
    let lists = [
        ("holders", &view.holders),
        ("line", &view.line),
        ("barriers", &view.barriers),
        ("outside", &view.outside),
    ];
    for (what, tasks) in lists {
        if !tasks.is_empty() {
            parts.push(format!("{what} {}", ids(tasks)));
        }
    }
    parts.push(format!("waiting {}", view.waiting));
    parts.join("; ")
}

pub(crate) fn quota(view: &QuotaView) -> String {
    let used = view
        .limits
        .iter()
        .map(|one| format!("{} of {}", one.used, limit(one.limit)));
    let mut parts: Vec<String> = used.collect();
    parts.push(format!("waiting {}", view.waiting));
    if let Some(until) = view.paused_until {
        parts.push(format!("paused until {}", span::show(until.0)));
    }
    parts.join("; ")
}

pub(crate) fn worker(view: &WorkerView) -> String {
    let mut text = view.name.to_string();
    if !view.running.is_empty() {
        text += &format!(" runs {}", ids(&view.running));
    }
    let words = [
        (view.lost, "lost"),
        (view.draining, "draining"),
        (view.at_once.is_some(), "parked"),
    ];
    for (is, word) in words {
        if is {
            text += &format!(" {word}");
        }
    }
    text
}

pub(crate) fn schedule(view: &ScheduleView, style: Style) -> String {
    let mut text = view.name.to_string();
    if view.paused {
        text += " paused";
    }
    if let Some(last) = view.last {
        text += &format!(" last {}", style.wall(last));
    }
    if let Some(what) = &view.last_fired {
        text += &format!(" {}", fired(what));
    }
    let next = view
        .next
        .map_or("never".to_owned(), |next| style.wall(next));
    text + &format!(", next {next}")
}

fn fired(fired: &Fired) -> String {
    match fired {
        Fired::Submitted {
            task,
            verdict: Verdict::Accepted,
        } => format!("accepted {task}"),
        Fired::Submitted {
            task,
            verdict: Verdict::Postponed,
        } => format!("postponed {task}"),
        Fired::StillLive { task } => format!("still live {task}"),
        Fired::NotAdmitted { code } => format!("not admitted: {code}"),
    }
}

/// `ahead 2 { held by 1 { running } }`: each cause with the explanation of the task it names.
pub(crate) fn explanation(explanation: &Explanation, style: Style) -> String {
    if explanation.running {
        return "running".to_owned();
    }
    let causes = explanation.causes.iter().map(|cause| {
        let then = cause.then.as_ref().map_or(String::new(), |then| {
            format!(" {{ {} }}", self::explanation(then, style))
        });
        reasons(std::slice::from_ref(&cause.reason), style) + &then
    });
    causes.collect::<Vec<_>>().join(", ")
}
