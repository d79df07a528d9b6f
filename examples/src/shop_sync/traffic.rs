//! The traffic: a regular round over all shops, and what comes in between.

use super::api::Shops;
use super::kinds::QUOTA;
use crate::ask::{Outcome, ended, on, task};
use interlock_api::quota::QuotaQuery;
use interlock_client::Client;

/// Submits a sync of a shop that takes so many calls.
pub async fn sync(client: &Client, kind: &str, shop: u64, calls: u64) -> Outcome<u64> {
    let sync = on(kind, &format!("shop:{shop}"), &calls)?;
    Ok(task(&client.tasks().submit(&sync).await?))
}

/// The whole story: what is asked for, and how it ends.
pub async fn tell(client: &Client, shops: &Shops) -> Outcome<()> {
    let mut tasks = Vec::new();
    for shop in 0..100 {
        tasks.push(sync(client, "regular", shop, 3).await?);
    }
    for shop in 0..10 {
        tasks.push(sync(client, "on-demand", shop, 12).await?);
        tasks.push(sync(client, "push", shop, 4).await?);
    }
    for task in &tasks {
        ended(client, *task).await?;
    }
    let seen = shops.seen();
    println!(
        "{} tasks took {} calls of 100 shops.",
        tasks.len(),
        seen.calls.len()
    );
    println!(
        "Beyond a limit: {}. Two in one shop: {}.",
        seen.too_many, seen.overlaps
    );
    let resource = Some("shop:1".to_owned());
    let quota = client
        .quotas()
        .count(QUOTA, &QuotaQuery { resource })
        .await?;
    for limit in quota.count.into_iter().flat_map(|count| count.limits) {
        println!(
            "shop:1, {}: {} used, {} left",
            limit.limit, limit.used, limit.left
        );
    }
    Ok(())
}
