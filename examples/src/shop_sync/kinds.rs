//! The kinds of the story, and the quota that they share.

use crate::args::Speed;
use interlock_api::Span;
use interlock_api::kind::{KindPolicy, QuotaUse, Retry, Waits};
use interlock_api::quota::{Limit, QuotaPolicy};
use interlock_client::{Client, Error};

/// The quota: calls of a shop.
pub const QUOTA: &str = "shop-calls";
/// So many calls a second, at any speed.
pub const PER_SECOND: u64 = 10;
/// So many calls a day.
pub const PER_DAY: u64 = 40;

/// All kinds, by name. On-demand goes before push, and push before regular.
pub fn all(speed: Speed) -> [(&'static str, KindPolicy); 3] {
    [("on-demand", 8), ("push", 6), ("regular", 4)].map(|(name, priority)| {
        let policy = KindPolicy {
            priority: Some(priority),
            quotas: vec![QuotaUse {
                quota: QUOTA.to_owned(),
                cost: 0, // the run itself spends, call by call
            }],
            retry: Some(Retry {
                waits: Some(Waits::Ladder(ladder(speed).to_vec())),
                ..Retry::default()
            }),
            lease: Some(speed.lease()),
            ..KindPolicy::default()
        };
        (name, policy)
    })
}

/// How long a task waits after each failure.
pub fn ladder(speed: Speed) -> [Span; 4] {
    [3, 20, 3 * 60, 24 * 60].map(|minutes| speed.of_minutes(minutes))
}

/// A day.
pub fn day(speed: Speed) -> Span {
    speed.of_minutes(24 * 60)
}

/// Sets the quota, which must be there before the kinds.
pub async fn set_quota(client: &Client, speed: Speed) -> Result<(), Error> {
    let window = |units, per| Limit::Window { units, per };
    let policy = QuotaPolicy {
        name: None,
        per: Some("shop".to_owned()),
        limits: vec![
            window(PER_SECOND, Span::from_ms(1_000)),
            window(PER_DAY, day(speed)),
        ],
    };
    client.quotas().set(QUOTA, &policy).await?;
    Ok(())
}
