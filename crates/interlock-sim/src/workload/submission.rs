//! Draws a submission: any mixture of what a client may ask for.

use crate::actor::Ctx;
use crate::feature::Feature;
use crate::scenery::name;
use interlock_core::words::{
    Claim, Due, IfBusy, Kind, Name, Op, Payload, ResourceName, Submission,
};

/// A submission of any kind.
pub fn draw(ctx: &mut Ctx<'_>) -> Submission {
    let index = ctx.rng.index(ctx.scenery.kinds.len());
    let kind = ctx.scenery.kinds[index].clone();
    draw_of(ctx, &kind)
}

/// A submission of this kind.
pub fn draw_of(ctx: &mut Ctx<'_>, kind: &Kind) -> Submission {
    let claims = draw_claims(ctx, kind);
    let mut submission = Submission::new(kind.name.clone(), claims);
    // Every payload is told apart from every other, and can be appended.
    submission.payload = Payload::from(format!("[{}]", ctx.rng.bits() >> 12).as_str());
    if ctx.strikes(Feature::Priorities, 40) {
        submission.priority = Some(ctx.rng.below(10) as u8);
    }
    if ctx.strikes(Feature::Keys, 30) {
        submission.key = Some(name(ctx.rng.pick::<&str>(&["a", "b"])));
    }
    draw_times(ctx, &mut submission);
    if ctx.strikes(Feature::IfBusy, 10) {
        submission.if_busy = IfBusy::Reject;
    }
    submission.hold = ctx.strikes(Feature::HeldFromStart, 4);
    submission
}

fn draw_times(ctx: &mut Ctx<'_>, submission: &mut Submission) {
    if ctx.strikes(Feature::Due, 20) {
        submission.due = Some(Due::In(ctx.rng.wait(3_000)));
    }
    if ctx.strikes(Feature::StartWithin, 6) {
        submission.start_within_ms = Some(ctx.rng.wait(4_000));
    }
}

fn draw_claims(ctx: &mut Ctx<'_>, kind: &Kind) -> Vec<Claim> {
    let mut claims = Vec::new();
    let metered = ctx.scenery.is_metered(&kind.name);
    if metered {
        let shop = ctx.rng.pick(&ctx.scenery.shops).clone();
        claims.push(claim(ctx, kind, shop));
    }
    let many = ctx.trouble(Feature::ManyClaims) && ctx.rng.percent(35);
    let more = if many {
        ctx.rng.range(1, 3)
    } else {
        u64::from(!metered)
    };
    let pool = pool(ctx, metered);
    for _ in 0..more {
        let resource = ctx.rng.pick(&pool).clone();
        if claims
            .iter()
            .all(|claim: &Claim| claim.resource != resource)
        {
            claims.push(claim(ctx, kind, resource));
        }
    }
    claims
}

fn pool(ctx: &Ctx<'_>, metered: bool) -> Vec<ResourceName> {
    let shops = ctx.scenery.shops.iter().filter(|_| !metered);
    ctx.scenery.resources.iter().chain(shops).cloned().collect()
}

fn claim(ctx: &mut Ctx<'_>, kind: &Kind, resource: ResourceName) -> Claim {
    if kind.op.is_lifecycle() {
        // Mostly what the kind is for; sometimes one create and another resource read.
        let op = ctx
            .rng
            .percent(15)
            .then(|| *ctx.rng.pick(&[Op::Read, Op::Update]));
        return Claim { resource, op };
    }
    let op = match ctx.rng.below(100) {
        0..=29 if ctx.features.has(Feature::Reads) => Some(Op::Read),
        30..=34 if ctx.features.has(Feature::Reads) => Some(Op::Update),
        35..=36 if ctx.features.has(Feature::Lifecycle) => Some(Op::Delete),
        37..=38 if ctx.features.has(Feature::Lifecycle) => Some(Op::Create),
        _ => None,
    };
    Claim { resource, op }
}

/// The same submission with something else in it.
pub fn altered(submission: &Submission, with: u64) -> Submission {
    let mut other = submission.clone();
    other.payload = Payload::from(format!("[{with}]").as_str());
    other
}

/// A key that no other submission has.
pub fn fresh_key(ctx: &mut Ctx<'_>) -> Name {
    name(&format!("i{}", ctx.rng.bits() >> 16))
}
