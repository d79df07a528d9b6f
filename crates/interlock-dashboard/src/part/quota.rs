//! A quota: what is used of each limit, what is left, and when more comes free.

use super::number::grouped;
use super::{badge, bar, link, time};
use crate::url;
use crate::viewer::Viewer;
use interlock_api::quota::{LimitCount, QuotaCount};
use maud::{Markup, html};

/// One count of a quota, with each of its limits.
pub(crate) fn count(viewer: &Viewer, count: &QuotaCount) -> Markup {
    html! {
        div.quota data-key={ "quota-" (count.quota) "-" (count.resource.as_deref().unwrap_or("")) } {
            div.box-head {
                a href=(viewer.to(&format!("/quotas/{}", url::segment(&count.quota)))) { strong { (count.quota) } }
                @if let Some(resource) = &count.resource { " of " (link::resource(viewer, resource)) }
                @if let Some(until) = count.paused_until {
                    (badge::badge("hold", "paused")) span.muted { " goes on " (time::until(until, viewer.now)) }
                }
                @if count.waiting > 0 { (badge::badge("wait", &format!("{} waiting", grouped(count.waiting)))) }
            }
            @for limit in &count.limits { (one(viewer, limit)) }
            @if count.lent > 0 { p.muted { (grouped(count.lent)) " of these are with runs that have not said yet what they used." } }
            @if let Some(next) = count.next { p.muted { "The first who waits goes on " (time::until(next, viewer.now)) "." } }
        }
    }
}

fn one(viewer: &Viewer, limit: &LimitCount) -> Markup {
    let all = limit.used + limit.left;
    let tone = match limit.left {
        0 => "bad",
        left if left * 5 < all => "wait",
        _ => "run",
    };
    let label = format!("{} of {} used", grouped(limit.used), grouped(all));
    html! {
        div.limit {
            code { (limit.limit) }
            (bar::meter(tone, limit.used, all, &label))
            span { (grouped(limit.left)) " left" }
            span.muted {
                @if let Some(resets) = limit.resets { "all free " (time::until(resets, viewer.now)) }
                @else if limit.used > 0 { "free when runs end" }
            }
        }
    }
}
