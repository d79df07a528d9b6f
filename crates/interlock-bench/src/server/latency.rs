//! From a submission to its hand-out to a parked take, on an idle server; and, in the same rhythm,
//! what a write to the disk alone takes.

use crate::host::Host;
use crate::measure::percentile;
use crate::report::{Figure, Unit};
use crate::tasks::{Session, ask, submission};
use crate::wire::{Connection, post};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

pub(super) async fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let rounds = if quick { 50 } else { 1_000 };
    let data = tempfile::tempdir()?;
    let host = Host::start(None, &data.path().join("data")).await?;
    let mut session = Session::register(host.address, "w").await?;
    let mut submitter = Connection::open(host.address).await?;
    let mut micros = Vec::new();
    let mut running: Vec<String> = Vec::new();
    let mut disk = Disk::open(data.path())?;
    for round in 0..rounds + 20 {
        disk.write()?;
        let parked = tokio::spawn(async move {
            let taken = session.take(1, "30s", &running).await;
            (taken, Instant::now(), session)
        });
        // Time for the take to arrive, and for the server to be idle.
        tokio::time::sleep(Duration::from_millis(5)).await;
        let request = post("/v1/tasks", &submission(round));
        let begun = Instant::now();
        ask(&mut submitter, &request).await?;
        let (taken, at, again) = parked.await?;
        (session, running) = (again, taken?);
        anyhow::ensure!(running.len() == 1, "the take got {} tasks", running.len());
        // The first ones are to warm up.
        if round >= 20 {
            micros.push((at - begun).as_secs_f64() * 1e6);
        }
    }
    host.stop()?;
    micros.sort_by(f64::total_cmp);
    let figure = |name: &str, share: f64, most: f64| {
        let name = format!("submission to hand-out, idle server, {name}");
        Figure::at_most(name, percentile(&micros, share), Unit::Micros, most)
    };
    disk.micros.sort_by(f64::total_cmp);
    let alone = |name: &str, share: f64| {
        let name = format!("a synced write of 4 KiB by itself, {name}");
        Figure::info(name, percentile(&disk.micros, share), Unit::Micros)
    };
    Ok(vec![
        figure("p50", 0.5, 1_000.0),
        figure("p99", 0.99, 5_000.0),
        alone("p50", 0.5),
        alone("p99", 0.99),
    ])
}

/// A file that is written and synced now and then.
struct Disk {
    file: File,
    micros: Vec<f64>,
}

impl Disk {
    fn open(dir: &Path) -> anyhow::Result<Self> {
        let file = File::create(dir.join("disk"))?;
        let micros = Vec::new();
        Ok(Self { file, micros })
    }

    fn write(&mut self) -> anyhow::Result<()> {
        std::thread::sleep(Duration::from_millis(5));
        let begun = Instant::now();
        self.file.write_all(&[7; 4096])?;
        self.file.sync_data()?;
        self.micros.push(begun.elapsed().as_secs_f64() * 1e6);
        Ok(())
    }
}
