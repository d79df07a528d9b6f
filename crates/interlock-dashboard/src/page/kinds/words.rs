//! The policy of a kind in sentences.

use crate::part::link::op_word;
use crate::part::number::{counted, grouped};
use interlock_api::Span;
use interlock_api::kind::{
    Coalesce, KindPolicy, OnLoss, PayloadRule, QuotaUse, Retention, Retry, Waits,
};
use interlock_api::sentence::length;

/// The policy, a sentence for each part of it that there is something to say about.
pub(super) fn policy(policy: &KindPolicy) -> Vec<String> {
    let mut all = vec![begin(policy)];
    all.extend(policy.coalesce.as_ref().map(coalesce));
    all.extend(cancels(&policy.cancels));
    all.extend(policy.retry.as_ref().map(retry));
    all.extend(policy.on_loss.map(on_loss));
    all.extend(policy.quotas.iter().map(quota));
    all.extend(times(policy));
    all.extend(
        policy
            .waiting_max
            .map(|most| format!("At most {} may wait.", counted(most, "task", "tasks"))),
    );
    all.extend(policy.retention.as_ref().map(retention));
    all
}

fn span(span: Span) -> String {
    length(span.ms())
}

fn begin(policy: &KindPolicy) -> String {
    let does = match policy.op.map(op_word) {
        Some("read") => "Reads its resources, beside other readers",
        Some("create") => "Creates its resources",
        Some("delete") => "Deletes its resources",
        _ => "Updates its resources",
    };
    match policy.priority {
        Some(priority) => format!("{does}. Priority {priority} of 0 to 9."),
        None => format!("{does}."),
    }
}

fn coalesce(rule: &Coalesce) -> String {
    let payload = match rule.payload {
        PayloadRule::Latest => "the latest payload",
        PayloadRule::First => "the first payload",
        PayloadRule::Append => "all payloads in one list",
    };
    let joined = format!("Submissions of the same thing become one task with {payload}");
    match rule.gather.ms() {
        0 => format!("{joined}."),
        _ => format!(
            "{joined}; the first of a flurry waits {} for more.",
            span(rule.gather)
        ),
    }
}

fn cancels(kinds: &[String]) -> Option<String> {
    let kinds = match kinds {
        [] => return None,
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    };
    Some(format!(
        "Calls off earlier tasks of {kinds} on the same resources."
    ))
}

fn retry(retry: &Retry) -> String {
    if retry.tries == Some(1) {
        return "A failure is final.".to_owned();
    }
    let waits = match &retry.waits {
        Some(Waits::Ladder(rungs)) if rungs.is_empty() => return "A failure is final.".to_owned(),
        Some(Waits::Ladder(rungs)) => ladder(rungs),
        Some(Waits::Exponential(waits)) => format!(
            "after {}, then twice as long each time, up to {}",
            span(waits.first),
            span(waits.most)
        ),
        None => "after a while".to_owned(),
    };
    let mut text = format!("After a failure it is tried again {waits}");
    if let Some(window) = retry.window {
        text += &format!(", until {} after its first run", span(window));
    }
    if let Some(tries) = retry.tries {
        text += &format!(", {} in all", counted(tries.into(), "try", "tries"));
    }
    text + "."
}

fn ladder(rungs: &[Span]) -> String {
    let rungs: Vec<String> = rungs.iter().map(|rung| span(*rung)).collect();
    match rungs.as_slice() {
        [one] => format!("every {one}"),
        [first @ .., last] => format!("after {}, then every {last}", first.join(", ")),
        [] => String::new(),
    }
}

fn on_loss(rule: OnLoss) -> String {
    match rule {
        OnLoss::Cancel => "If its worker is lost it is cancelled.".to_owned(),
        OnLoss::Retry(0) => "If its worker is lost it has failed.".to_owned(),
        OnLoss::Retry(1) => {
            "If its worker is lost it goes back to its place in line, once.".to_owned()
        }
        OnLoss::Retry(most) => format!(
            "If its worker is lost it goes back to its place in line, up to {} times.",
            grouped(most.into())
        ),
    }
}

fn quota(used: &QuotaUse) -> String {
    match used.cost {
        0 => format!("Its runs spend from the quota {}.", used.quota),
        cost => format!(
            "Each start takes {} of the quota {}.",
            counted(cost.into(), "unit", "units"),
            used.quota
        ),
    }
}

fn times(policy: &KindPolicy) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(lease) = policy.lease {
        all.push(format!(
            "A worker that is silent for {} is lost.",
            span(lease)
        ));
    }
    if let Some(within) = policy.run_within {
        let grace = policy.grace.map(span);
        let grace = grace.map_or_else(String::new, |grace| format!(" and has {grace} to do so"));
        all.push(format!(
            "A run that takes longer than {} is told to stop{grace}.",
            span(within)
        ));
    }
    all
}

fn retention(kept: &Retention) -> String {
    let one = |length: Option<Span>, after: &str| {
        length.map(|length| match length.ms() {
            0 => format!("not at all after {after}"),
            _ => format!("for {} after {after}", span(length)),
        })
    };
    let all = [
        one(kept.succeeded, "success"),
        one(kept.failed, "failure"),
        one(kept.cancelled, "being cancelled"),
    ];
    let all: Vec<String> = all.into_iter().flatten().collect();
    match all.is_empty() {
        true => "Tasks that ended can be seen for a while.".to_owned(),
        false => format!("Tasks that ended can be seen {}.", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn said(of: Value) -> Vec<String> {
        policy(&serde_json::from_value(of).expect("a policy"))
    }

    #[test]
    fn a_whole_policy_reads_as_sentences() {
        let whole = json!({
            "priority": 4, "op": "update",
            "coalesce": {"payload": "append", "gather": "3s"},
            "cancels": ["remove", "purge", "copy"],
            "retry": {"waits": ["3m", "20m", "3h", "1d"], "for": "3d"},
            "quotas": [{"quota": "calls", "cost": 1}, {"quota": "bytes", "cost": 0}],
            "on_loss": {"retry": 3}, "lease": "15s", "run_within": "1h", "grace": "10s",
            "waiting_max": 1000,
            "retention": {"succeeded": "1d", "failed": "30d", "cancelled": "0s"},
        });
        assert_eq!(
            said(whole),
            [
                "Updates its resources. Priority 4 of 0 to 9.",
                "Submissions of the same thing become one task with all payloads in one list; the first of a flurry waits 3 s for more.",
                "Calls off earlier tasks of remove, purge and copy on the same resources.",
                "After a failure it is tried again after 3 min, 20 min, 3 h, then every 1 d, until 3 d after its first run.",
                "If its worker is lost it goes back to its place in line, up to 3 times.",
                "Each start takes 1 unit of the quota calls.",
                "Its runs spend from the quota bytes.",
                "A worker that is silent for 15 s is lost.",
                "A run that takes longer than 1 h is told to stop and has 10 s to do so.",
                "At most 1,000 tasks may wait.",
                "Tasks that ended can be seen for 1 d after success, for 30 d after failure, not at all after being cancelled.",
            ]
        );
    }

    #[test]
    fn retries_are_told_as_they_are() {
        let retry = |retry: Value| said(json!({ "retry": retry })).remove(1);
        assert_eq!(retry(json!({"waits": []})), "A failure is final.");
        assert_eq!(retry(json!({"tries": 1})), "A failure is final.");
        assert_eq!(
            retry(json!({"waits": ["5s"], "tries": 3})),
            "After a failure it is tried again every 5 s, 3 tries in all."
        );
        assert_eq!(
            retry(json!({"waits": {"first": "1s", "most": "1h"}})),
            "After a failure it is tried again after 1 s, then twice as long each time, up to 1 h."
        );
    }
}
