//! What it costs to ask a node that does not serve the namespace.

use crate::measure::percentile;
use crate::nodes::{Cluster, Wires};
use crate::report::{Figure, Unit};
use crate::tasks::{Session, ask, submission};
use crate::wire::{Connection, post};
use std::time::{Duration, Instant};

pub(super) async fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let rounds = if quick { 50 } else { 2_000 };
    let cluster = Cluster::start(None, 2, Wires::None).await?;
    let owner = cluster.owner("default").await?;
    let (there, other) = (cluster.address(owner)?, cluster.address(1 - owner)?);
    Session::register(there, "w").await?;
    let mut direct = Connection::open(there).await?;
    let mut passed_on = Connection::open(other).await?;
    let mut micros = [Vec::new(), Vec::new()];
    for round in 0..rounds + 20 {
        for (at, connection) in [&mut direct, &mut passed_on].into_iter().enumerate() {
            let request = post("/v1/tasks", &submission(round * 2 + at as u64));
            let begun = Instant::now();
            ask(connection, &request).await?;
            // The first ones are to warm up.
            if round >= 20 {
                micros[at].push(begun.elapsed().as_secs_f64() * 1e6);
            }
            tokio::time::sleep(Duration::from_micros(500)).await;
        }
    }
    let [direct, passed_on] = micros.map(|mut micros| {
        micros.sort_by(f64::total_cmp);
        percentile(&micros, 0.5)
    });
    Ok(vec![
        Figure::info(
            "a submission to the node that serves it, p50",
            direct,
            Unit::Micros,
        ),
        Figure::info(
            "a submission that is passed on, p50",
            passed_on,
            Unit::Micros,
        ),
        Figure::at_most("passed on ÷ direct", passed_on / direct, Unit::Ratio, 2.0),
    ])
}
