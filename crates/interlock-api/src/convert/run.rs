//! What workers say, as commands, and what they hear, from replies.

use super::name::{name, names};
use super::refusal::refusal;
use super::{claim, kind, payload, task};
use crate::code::Code;
use crate::id::RunToken;
use crate::problem::Problem;
use crate::progress::Progress as WireProgress;
use crate::run as wire;
use crate::span::Span;
use crate::time::Time;
use interlock_core::Refusal;
use interlock_core::command::{
    Again, Beat, BeatRun, Finish, FinishHow, Progress, Register, RunError, Spend, Take, Used,
};
use interlock_core::limits::{QUOTAS_PER_KIND_MAX, TAKE_MAX};
use interlock_core::reply;
use interlock_core::words::{Kind, SessionId};

/// A registration: kinds to be set first, and the registration itself.
pub fn register(wire: wire::Register) -> Result<(Vec<Kind>, Register), Problem> {
    let register = Register {
        name: name(&wire.name, "name")?,
        kinds: names(&wire.kinds, "kinds")?,
        takeover: wire.takeover,
    };
    Ok((kind::kinds(wire.policies, "policies")?, register))
}

/// A take.
pub fn take(wire: wire::Take) -> Result<Take, Problem> {
    let max = usize::try_from(wire.max).unwrap_or(usize::MAX);
    if !(1..=TAKE_MAX).contains(&max) {
        let detail = format!("it must be from 1 to {TAKE_MAX}");
        return Err(Problem::new(Code::BadValue, detail).at("max"));
    }
    Ok(Take {
        session: SessionId(wire.session),
        number: wire.number,
        max,
        wait_ms: wire.wait.ms(),
        finishes: finishes(wire.finishes)?,
    })
}

/// A beat.
pub fn beat(wire: wire::Beat) -> Result<Beat, Problem> {
    let each = wire.runs.into_iter().enumerate();
    let runs = each.map(|(at, run)| beat_run(run).map_err(|problem| problem.in_item("runs", at)));
    Ok(Beat {
        session: SessionId(wire.session),
        runs: runs.collect::<Result<_, _>>()?,
    })
}

fn beat_run(run: wire::BeatRun) -> Result<BeatRun, Problem> {
    Ok(BeatRun {
        token: run.token.0,
        progress: run.progress.map(progress),
        used: units(&run.used, "used")?,
        dropped: units(&run.dropped, "dropped")?,
    })
}

/// Progress as a worker reports it.
pub fn progress(wire: WireProgress) -> Progress {
    Progress {
        done: wire.done,
        total: wire.total,
        unit: wire.unit.into(),
        message: wire.message.into(),
    }
}

fn units(units: &[wire::Units], field: &str) -> Result<Vec<Used>, Problem> {
    if units.len() > QUOTAS_PER_KIND_MAX {
        let detail = format!(
            "there are {}, at most {QUOTAS_PER_KIND_MAX} are allowed",
            units.len()
        );
        let mut problem = Problem::new(Code::TooMany, detail);
        problem.more.max = Some(QUOTAS_PER_KIND_MAX as u64);
        return Err(problem.at(field));
    }
    let each = units.iter().enumerate();
    each.map(|(at, used)| {
        let quota = name(&used.quota, "quota").map_err(|problem| problem.in_item(field, at))?;
        let units = used.units;
        Ok(Used { quota, units })
    })
    .collect()
}

/// Finishes.
pub fn finishes(finishes: Vec<wire::Finish>) -> Result<Vec<Finish>, Problem> {
    let each = finishes.into_iter().enumerate();
    each.map(|(at, wire)| finish(wire).map_err(|problem| problem.in_item("finishes", at)))
        .collect()
}

fn finish(wire: wire::Finish) -> Result<Finish, Problem> {
    let wrong = |field: &str, why: &str| Err(Problem::new(Code::BadValue, why).at(field));
    if wire.result.is_some() && wire.how != wire::How::Succeed {
        return wrong("result", "only a run that succeeds has a result");
    }
    if wire.error.is_some() && wire.how != wire::How::Fail {
        return wrong("error", "only a run that fails has an error");
    }
    if wire.again.is_some() && wire.how != wire::How::Fail {
        return wrong("again", "only a run that fails can ask to be tried again");
    }
    let how = match (wire.how, wire.error) {
        (wire::How::Succeed, _) => FinishHow::Succeed {
            result: payload::payload(wire.result, "result")?,
        },
        (wire::How::Release, _) => FinishHow::Release,
        (wire::How::Fail, None) => return wrong("error", "a run that fails must say why"),
        (wire::How::Fail, Some(error)) => FinishHow::Fail {
            error: RunError {
                message: error.message.into(),
                detail: error.detail.into(),
            },
            again: match wire.again {
                None => Again::AsKindSays,
                Some(wire::Again::Never) => Again::Never,
                Some(wire::Again::In(span)) => Again::In(span.ms()),
            },
        },
    };
    Ok(Finish {
        token: wire.token.0,
        how,
        used: units(&wire.used, "used")?,
    })
}

/// A spend.
pub fn spend(wire: &wire::Spend) -> Result<Spend, Problem> {
    Ok(Spend {
        session: SessionId(wire.session),
        token: wire.token.0,
        quota: name(&wire.quota, "quota")?,
        units: wire.units,
    })
}

/// The answer to a take, whose finishes were of these runs.
pub fn taken(taken: &reply::Taken, finishes: &[RunToken]) -> wire::Taken {
    wire::Taken {
        hand_outs: taken.hand_outs.iter().map(hand_out).collect(),
        finished: finished(&taken.finished, finishes),
        draining: taken.draining,
    }
}

/// A task for a worker.
pub fn hand_out(hand_out: &reply::HandOut) -> wire::HandOut {
    wire::HandOut {
        token: hand_out.token.into(),
        task: hand_out.task.0,
        kind: hand_out.kind.to_string(),
        resources: claim::shown(&hand_out.claims),
        payload: payload::shown(&hand_out.payload),
        stands_for: hand_out.stands_for,
        attempt: hand_out.attempt,
        lease: Span::from_ms(hand_out.lease_ms),
        run_within: hand_out.run_within_ms.map(Span::from_ms),
        budgets: hand_out.budgets.iter().map(budget).collect(),
        trace: hand_out.trace.as_deref().map(ToOwned::to_owned),
    }
}

fn budget(budget: &reply::Budget) -> wire::Budget {
    let recent = |(ago_ms, units): &(u64, u64)| wire::RecentUse {
        ago: Span::from_ms(*ago_ms),
        units: *units,
    };
    wire::Budget {
        quota: budget.quota.to_string(),
        limits: budget.limits.iter().map(|limit| (*limit).into()).collect(),
        slice: budget.slice,
        recent: (budget.recent.iter())
            .map(|window| window.iter().map(recent).collect())
            .collect(),
        paused: Span::from_ms(budget.paused_ms),
    }
}

/// The answers to finishes of these runs, in order.
pub fn finished(
    answers: &[Result<reply::Finished, Refusal>],
    finishes: &[RunToken],
) -> Vec<wire::FinishAnswer> {
    let each = finishes.iter().zip(answers);
    each.map(|(token, answer)| finish_answer(*token, answer))
        .collect()
}

fn finish_answer(token: RunToken, answer: &Result<reply::Finished, Refusal>) -> wire::FinishAnswer {
    let bare = wire::FinishAnswer {
        token,
        outcome: None,
        retry_at: None,
        waiting: false,
        problem: None,
    };
    match answer {
        Ok(reply::Finished::Ended(outcome)) => wire::FinishAnswer {
            outcome: Some(task::outcome(*outcome)),
            ..bare
        },
        Ok(reply::Finished::Retrying(until)) => wire::FinishAnswer {
            retry_at: Some(Time::from(*until)),
            ..bare
        },
        Ok(reply::Finished::Waiting) => wire::FinishAnswer {
            waiting: true,
            ..bare
        },
        Err(refused) => wire::FinishAnswer {
            problem: Some(refusal(refused)),
            ..bare
        },
    }
}

/// The answer to a beat.
pub fn beaten(runs: &[reply::Beaten]) -> wire::Beaten {
    wire::Beaten {
        runs: runs.iter().map(run_order).collect(),
    }
}

fn run_order(run: &reply::Beaten) -> wire::RunOrder {
    let (order, why) = match run.order {
        reply::Order::GoOn => (wire::Order::GoOn, None),
        reply::Order::Stop(why) => (wire::Order::Stop, Some(why)),
        reply::Order::Ending(why) => (wire::Order::Ending, Some(why)),
        reply::Order::Gone => (wire::Order::Gone, None),
    };
    wire::RunOrder {
        token: run.token.into(),
        order,
        why: why.map(stop_why),
        budgets: (run.budgets.iter())
            .map(|news| wire::BudgetNews {
                quota: news.quota.to_string(),
                slice: news.slice,
                paused: Span::from_ms(news.paused_ms),
            })
            .collect(),
    }
}

/// Why a run shall stop.
pub fn stop_why(why: reply::StopWhy) -> wire::StopWhy {
    match why {
        reply::StopWhy::Cancelled => wire::StopWhy::Cancelled,
        reply::StopWhy::TooLong => wire::StopWhy::TooLong,
    }
}

/// The answer to a spend.
pub fn spending(spending: reply::Spending) -> wire::Spending {
    match spending {
        reply::Spending::Granted => wire::Spending {
            granted: true,
            wait: None,
        },
        reply::Spending::Wait { wait_ms } => wire::Spending {
            granted: false,
            wait: Some(Span::from_ms(wait_ms)),
        },
    }
}
