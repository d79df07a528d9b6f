//! Commands and replies as a person reads them, for the story that leads to a mismatch.

use interlock_core::command::{Command, Finish, FinishHow};
use interlock_core::reply::{Answer, Reason, Reply, Report};
use interlock_core::words::{After, Claim, Due, IfBusy, Submission};

/// A command in one line.
pub(crate) fn command(command: &Command) -> String {
    match command {
        Command::Tick => "tick".to_owned(),
        Command::Submit(submit) => {
            let mut text = if submit.group {
                "submit as a group"
            } else {
                "submit"
            }
            .to_owned();
            if submit.dry_run {
                text += " only to ask";
            }
            let items = submit.items.iter().map(submission);
            format!("{text}: {}", items.collect::<Vec<_>>().join(" + "))
        }
        Command::Register(register) => {
            let takeover = if register.takeover {
                " by takeover"
            } else {
                ""
            };
            format!("register {}{takeover}", register.name)
        }
        Command::Take(take) => format!(
            "session {} takes #{}: at most {}, waits {} ms{}",
            take.session,
            take.number,
            take.max,
            take.wait_ms,
            finishes(&take.finishes),
        ),
        Command::Beat(beat) => {
            let runs = beat.runs.iter().map(|run| run.token.to_string());
            format!(
                "session {} beats for [{}]",
                beat.session,
                runs.collect::<Vec<_>>().join(", ")
            )
        }
        Command::Finish {
            session,
            finishes: list,
        } => {
            format!("session {session} finishes{}", finishes(list))
        }
        other => format!("{other:?}"),
    }
}

fn finishes(finishes: &[Finish]) -> String {
    let list = finishes.iter().map(|finish| {
        let how = match &finish.how {
            FinishHow::Succeed { .. } => "succeeds".to_owned(),
            FinishHow::Fail { again, .. } => format!("fails, again {again:?}"),
            FinishHow::Release => "is released".to_owned(),
        };
        format!("; run {} {how}", finish.token)
    });
    list.collect()
}

fn submission(item: &Submission) -> String {
    let claims: Vec<_> = item.claims.iter().map(claim).collect();
    let mut text = format!("{} [{}]", item.kind, claims.join(", "));
    let mut add = |part: Option<String>| text.extend(part.map(|part| format!(" {part}")));
    add(item.priority.map(|priority| format!("priority {priority}")));
    add(item.key.as_ref().map(|key| format!("key {key}")));
    add(item.due.map(|due| match due {
        Due::In(ms) => format!("due in {ms}"),
        Due::At(at) => format!("due at {}", at.0),
    }));
    add(item.start_within_ms.map(|ms| format!("start within {ms}")));
    add((item.if_busy == IfBusy::Reject).then(|| "reject if busy".to_owned()));
    add(item.hold.then(|| "held".to_owned()));
    for after in &item.after {
        add(Some(match after {
            After::Task(task) => format!("after task {task}"),
            After::Item(item) => format!("after item {item}"),
        }));
    }
    text
}

fn claim(claim: &Claim) -> String {
    format!(
        "{} {}",
        claim
            .op
            .map_or("as its kind".to_owned(), |op| op.to_string()),
        claim.resource
    )
}

/// A reply in one line.
pub(crate) fn reply(reply: &Reply) -> String {
    match reply {
        Reply::Submitted { answers, .. } => {
            answers.iter().map(answer).collect::<Vec<_>>().join(" + ")
        }
        Reply::Taken(taken) => {
            let tasks = taken
                .hand_outs
                .iter()
                .map(|hand_out| format!("task {} as run {}", hand_out.task, hand_out.token));
            let tasks: Vec<_> = tasks.collect();
            format!(
                "handed out: [{}], finished: {:?}",
                tasks.join(", "),
                taken.finished
            )
        }
        Reply::Registered { session } => format!("session {session}"),
        other => format!("{other:?}"),
    }
}

fn answer(answer: &Answer) -> String {
    match answer {
        Answer::Admitted(report) => format!("admitted as {}", report_text(report)),
        Answer::Coalesced(report) => format!("coalesced into {}", report_text(report)),
        Answer::Rejected { reasons } => format!("rejected: {}", reasons_text(reasons)),
        Answer::Refused(refusal) => format!("refused: {refusal}"),
    }
}

fn report_text(report: &Report) -> String {
    let task = report
        .task
        .map_or("nothing yet".to_owned(), |task| format!("task {task}"));
    format!(
        "{task}, {:?} {}",
        report.verdict,
        reasons_text(&report.reasons)
    )
}

fn reasons_text(reasons: &[Reason]) -> String {
    let list = reasons.iter().map(|reason| match reason {
        Reason::HeldBy { resource, by } => format!("{resource} held by {}", by.task),
        Reason::Ahead { resource, by } => format!("{} ahead on {resource}", by.task),
        Reason::Behind { resource, by } => format!("behind {} on {resource}", by.task),
        Reason::Doomed { resource, by } => format!("doomed by {} on {resource}", by.task),
        Reason::FutureDecided { resource, by, op } => {
            format!("future of {resource} decided by {op} {}", by.task)
        }
        other => format!("{other:?}"),
    });
    format!("({})", list.collect::<Vec<_>>().join(", "))
}
