//! The kinds of a world. Their names say what they are for; the rest of the policy is drawn.

use super::name;
use crate::feature::{Feature, Features};
use crate::rng::Rng;
use interlock_core::words::{
    Coalesce, Kind, OnLoss, Op, PayloadRule, Quota, QuotaUse, Retention, Retry, Waits,
};

/// Every kind there may be.
pub const KIND_NAMES: &[&str] = &[
    "plain", "sync", "index", "first", "clean", "enroll", "report", "make", "drop", "meter",
    "poll", "slot",
];

/// The kinds of a seed.
pub fn draw(rng: &mut Rng, features: Features, quotas: &[Quota]) -> Vec<Kind> {
    KIND_NAMES
        .iter()
        .filter(|text| features.has(Feature::Lifecycle) || !matches!(**text, "make" | "drop"))
        .filter(|text| !quotas.is_empty() || !matches!(**text, "meter" | "poll" | "slot"))
        .map(|text| {
            let mut kind = Kind::new(name(text));
            kind.op = op_of(text);
            kind.quotas = quotas_of(rng, text);
            draw_policy(rng, features, &mut kind);
            kind
        })
        .collect()
}

fn op_of(kind: &str) -> Op {
    match kind {
        "report" | "poll" => Op::Read,
        "make" => Op::Create,
        "drop" => Op::Delete,
        _ => Op::Update,
    }
}

fn quotas_of(rng: &mut Rng, kind: &str) -> Vec<QuotaUse> {
    let takes = |quota, cost| QuotaUse {
        quota: name(quota),
        cost,
    };
    match kind {
        "meter" => vec![takes("calls", rng.below(2) as u32), takes("starts", 1)],
        "poll" => vec![takes("calls", 0), takes("all", rng.below(3) as u32)],
        "slot" => vec![takes("slots", 1), takes("all", 1)],
        _ => Vec::new(),
    }
}

/// Draws everything of a policy that may change while tasks of the kind wait.
pub fn draw_policy(rng: &mut Rng, features: Features, kind: &mut Kind) {
    kind.priority = rng.below(10) as u8;
    kind.coalesce = coalesce_of(rng, features, kind.name.as_str());
    kind.cancels = match kind.name.as_str() {
        "enroll" if features.has(Feature::CancelKinds) => vec![name("clean"), name("sync")],
        _ => Vec::new(),
    };
    kind.retry = draw_retry(rng);
    kind.on_loss = match kind.name.as_str() {
        "report" => OnLoss::Cancel,
        _ => OnLoss::Retry {
            losses_max: rng.range(0, 3) as u32,
        },
    };
    kind.lease_ms = *rng.pick(&[1_000, 1_500, 3_000, 6_000]);
    kind.run_within_ms =
        (features.has(Feature::TooLong) && rng.percent(40)).then(|| rng.range(300, 4_000));
    kind.grace_ms = rng.range(0, 3_000);
    kind.waiting_max = features.has(Feature::Caps).then(|| rng.range(8, 40));
    if rng.percent(20) {
        kind.retention = Retention {
            succeeded_ms: 0,
            failed_ms: 0,
            cancelled_ms: 0,
        };
    }
}

fn coalesce_of(rng: &mut Rng, features: Features, kind: &str) -> Option<Coalesce> {
    if !features.has(Feature::Coalescing) {
        return None;
    }
    let payload = match kind {
        "sync" | "meter" => PayloadRule::Latest,
        "index" => PayloadRule::Append,
        "first" => PayloadRule::First,
        "clean" | "enroll" | "report" | "make" | "drop" if rng.percent(40) => {
            *rng.pick(&[PayloadRule::Latest, PayloadRule::First, PayloadRule::Append])
        }
        _ => return None,
    };
    let gathers = features.has(Feature::Gather) && rng.percent(40);
    Some(Coalesce {
        payload,
        gather_ms: if gathers { rng.range(50, 1_500) } else { 0 },
    })
}

fn draw_retry(rng: &mut Rng) -> Retry {
    let waits = match rng.below(6) {
        0 => Waits::Ladder(Vec::new()),
        1 => Waits::Ladder(vec![200]),
        2 => Waits::Ladder(vec![300, 1_500]),
        3 => Waits::Ladder(vec![500, 2_000, 8_000]),
        4 => Waits::Ladder(vec![5_000, 1_000]),
        _ => Waits::Exponential {
            first_ms: 400,
            most_ms: 6_000,
        },
    };
    Retry {
        waits,
        window_ms: *rng.pick(&[2_000, 10_000, 60_000]),
        tries_max: rng.percent(30).then(|| rng.range(1, 4) as u32),
    }
}
