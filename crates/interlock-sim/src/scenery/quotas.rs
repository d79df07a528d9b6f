//! The quotas of a world: per shop, for the namespace, and at once.

use super::{METERED_TYPE, name};
use crate::rng::Rng;
use interlock_core::words::{Limit, Quota, Scope};

/// The quotas of a seed.
pub fn draw(rng: &mut Rng) -> Vec<Quota> {
    let per_shop = Scope::Per(name(METERED_TYPE));
    vec![
        Quota {
            name: name("calls"),
            scope: per_shop.clone(),
            limits: draw_limits(rng, "calls"),
        },
        Quota {
            name: name("starts"),
            scope: per_shop,
            limits: draw_limits(rng, "starts"),
        },
        Quota {
            name: name("all"),
            scope: Scope::Namespace,
            limits: draw_limits(rng, "all"),
        },
        Quota {
            name: name("slots"),
            scope: Scope::Namespace,
            limits: draw_limits(rng, "slots"),
        },
    ]
}

/// Limits for a quota of this name; drawn anew when an operator changes it.
pub fn draw_limits(rng: &mut Rng, quota: &str) -> Vec<Limit> {
    let window = |units, per_ms| Limit::Window { units, per_ms };
    match quota {
        "calls" => vec![
            window(rng.range(2, 6), 1_000),
            window(rng.range(20, 60), *rng.pick(&[20_000, 60_000])),
        ],
        "starts" => vec![window(rng.range(1, 3), rng.range(500, 3_000))],
        "all" => {
            let mut limits = vec![window(rng.range(5, 20), rng.range(1_000, 5_000))];
            if rng.percent(50) {
                limits.push(Limit::AtOnce(rng.range(4, 8)));
            }
            limits
        }
        _ => vec![Limit::AtOnce(rng.range(1, 4))],
    }
}
