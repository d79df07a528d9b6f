//! The checker bites: each mistake breaks the promises that are named beside it.

use crate::mistaken;
use interlock_model::bounds::Bounds;
use interlock_model::mutation::Mutation;
use interlock_model::properties::{ALONE, EXCLUSIVE, FENCED, FRESH, KEPT, LOADED};
use stateright::{Checker, HasDiscoveries, Model};
use std::time::Duration;

/// What breaks.
fn broken_by(mutation: Mutation) -> Vec<(Bounds, &'static str)> {
    let (writes, beats) = (Bounds::WRITES, Bounds::BEATS);
    let (clocks, reads) = (Bounds::CLOCKS, Bounds::READS);
    let drifting_reads = Bounds {
        lease: 3,
        drift: true,
        ..reads
    };
    match mutation {
        Mutation::NoRowLock => vec![(writes, LOADED), (writes, FENCED)],
        Mutation::NoEpoch => vec![(writes, LOADED), (writes, FENCED)],
        Mutation::NoNewEpoch => vec![(writes, LOADED)],
        Mutation::UnsureTakenForDone => vec![(writes, KEPT)],
        Mutation::LoadBeforeClaim => vec![(writes, LOADED), (reads, FRESH)],
        Mutation::ClaimFromTheLiving => vec![(beats, ALONE), (beats, EXCLUSIVE)],
        Mutation::NotBuried => vec![(clocks, ALONE)],
        Mutation::CountFromAnswer => vec![(clocks, ALONE)],
        Mutation::NoMargin => vec![(clocks, ALONE), (drifting_reads, FRESH)],
        Mutation::CheckBeforeArrival => vec![(beats, EXCLUSIVE), (reads, FRESH)],
        Mutation::NoCheck => vec![(beats, EXCLUSIVE), (reads, FRESH)],
        Mutation::NoFullLease => vec![(beats, EXCLUSIVE)],
        Mutation::HandOverKeepsServing => vec![(beats, EXCLUSIVE), (reads, FRESH)],
        Mutation::TermIgnored => vec![(beats, EXCLUSIVE), (reads, FRESH)],
    }
}

#[test]
fn every_mistake_is_found() {
    for mutation in Mutation::ALL {
        for (bounds, property) in broken_by(mutation) {
            let model = mistaken(bounds, mutation).checker();
            let model = model.finish_when(HasDiscoveries::AnyOf([property].into()));
            let checker = model.timeout(Duration::from_secs(120)).spawn_bfs().join();
            let found = checker.discovery(property);
            let found = found.unwrap_or_else(|| panic!("{mutation:?} does not break: {property}"));
            println!("{mutation:?} breaks: {property}");
            for action in found.into_actions() {
                println!("    {action:?}");
            }
        }
    }
}
