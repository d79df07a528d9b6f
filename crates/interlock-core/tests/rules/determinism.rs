//! The same commands give the same events, bit for bit, and the log replayed gives the same state at
//! every commit point (design §12).

use crate::scenario::{EPOCH, Script};
use interlock_core::command::Command;
use interlock_core::event::Record;
use interlock_core::words::{Elapsed, Now};
use interlock_core::{Core, Decision};

const COMMANDS: usize = 1_500;

/// Runs a script on one core, calling `each` after every decision.
fn run(seed: u64, core: &mut Core, commands: usize, mut each: impl FnMut(&mut Core, &Decision)) {
    let mut script = Script::new(seed);
    let opened = core.open(script.now(), 1);
    each(core, &opened);
    for command in Script::givens() {
        step(core, &mut script, command, &mut each);
    }
    for _ in 0..commands {
        script.pass_time();
        let command = script.command();
        step(core, &mut script, command, &mut each);
    }
}

fn step(
    core: &mut Core,
    script: &mut Script,
    command: Command,
    each: &mut impl FnMut(&mut Core, &Decision),
) {
    let mut decision = core.decide(script.now(), command);
    script.learn(&decision);
    each(core, &decision);
    let mut patience = 1_000;
    while decision.more {
        decision = core.decide(script.now(), Command::Tick);
        script.learn(&decision);
        each(core, &decision);
        patience -= 1;
        assert!(patience > 0, "there is more for ever");
    }
}

fn bytes(record: &Record) -> Vec<u8> {
    postcard::to_stdvec(record).expect("records can be written")
}

fn log_of(seed: u64, hash_seed: u64) -> (Vec<Vec<u8>>, Vec<String>) {
    let (mut log, mut replies) = (Vec::new(), Vec::new());
    run(seed, &mut Core::new(hash_seed), COMMANDS, |_, decision| {
        log.extend(decision.record.as_ref().map(bytes));
        replies.push(format!("{:?} {:?}", decision.reply, decision.wakes));
    });
    (log, replies)
}

#[test]
fn the_same_commands_give_the_same_events_bit_for_bit_whatever_the_hash_seed() {
    for seed in 0..6 {
        let (log, replies) = log_of(seed, 1);
        let (again, replies_again) = log_of(seed, 0xdead_beef);
        assert!(
            log.len() > COMMANDS / 4,
            "the script did little: {} records",
            log.len()
        );
        for (index, (one, other)) in log.iter().zip(&again).enumerate() {
            assert_eq!(one, other, "seed {seed}, record {index}");
        }
        assert_eq!(log.len(), again.len());
        assert_eq!(replies, replies_again, "seed {seed}");
    }
}

#[test]
fn the_log_replayed_gives_the_same_state_at_every_commit_point() {
    for seed in 10..14 {
        let mut replayed = Core::new(3);
        let mut commits = 0;
        run(seed, &mut Core::new(4), COMMANDS, |core, decision| {
            core.check()
                .unwrap_or_else(|broken| panic!("seed {seed}: {broken}"));
            let Some(record) = &decision.record else {
                return;
            };
            let read: Record = postcard::from_bytes(&bytes(record)).expect("records can be read");
            assert_eq!(read, *record);
            replayed.replay(&read);
            commits += 1;
            if let Err(difference) = core.same_hard_state(&replayed) {
                panic!("seed {seed}, commit {commits}: {difference}");
            }
        });
        assert!(commits > COMMANDS / 4);
    }
}

#[test]
fn a_replayed_core_is_sound_once_it_is_opened() {
    for seed in 20..24 {
        let mut log: Vec<Record> = Vec::new();
        let mut at = 0;
        run(seed, &mut Core::new(5), COMMANDS, |_, decision| {
            let before = log.len();
            log.extend(decision.record.clone());
            at += 1;
            if at % 97 == 0 && log.len() > before {
                reopen(&log, seed);
            }
        });
    }
}

fn reopen(log: &[Record], seed: u64) {
    let mut core = Core::new(6);
    for record in log {
        core.replay(record);
    }
    let now = log.last().expect("a log").at;
    let mut decision = core.open(now, 1);
    let mut patience = 1_000;
    while decision.more {
        decision = core.decide(now, Command::Tick);
        patience -= 1;
        assert!(patience > 0, "there is more for ever");
    }
    core.check()
        .unwrap_or_else(|broken| panic!("seed {seed}: {broken}"));
}

#[test]
fn two_recoveries_from_the_same_log_go_on_alike() {
    let mut log = Vec::new();
    run(31, &mut Core::new(7), 600, |_, decision| {
        log.extend(decision.record.clone())
    });
    let go_on = |hash_seed| {
        let mut core = Core::new(hash_seed);
        for record in &log {
            core.replay(record);
        }
        let mut written = Vec::new();
        let mut now = log.last().expect("a log").at;
        let mut decision = core.open(now, 2);
        for second in 0..120 {
            written.extend(decision.record.as_ref().map(bytes));
            now = now.plus(if decision.more {
                0
            } else {
                1_000 * (second % 3)
            });
            decision = core.decide(now, Command::Tick);
        }
        written
    };
    assert_eq!(go_on(8), go_on(9));
}

#[test]
fn reading_the_state_changes_nothing() {
    let mut quiet = Core::new(1);
    let mut watched = Core::new(1);
    let (mut log, mut watched_log) = (Vec::new(), Vec::new());
    run(40, &mut quiet, 400, |_, decision| {
        log.extend(decision.record.as_ref().map(bytes))
    });
    run(40, &mut watched, 400, |core, decision| {
        for task in core.live_tasks() {
            let _ = (core.task(task), core.explain(task));
        }
        let _ = (
            core.workers(),
            core.schedules(),
            core.counts(),
            core.next_timer(),
        );
        watched_log.extend(decision.record.as_ref().map(bytes));
    });
    assert_eq!(log, watched_log);
}

#[test]
fn a_tick_with_nothing_to_do_changes_nothing() {
    let mut core = Core::new(1);
    let now = Now {
        elapsed: Elapsed(5),
        wall: EPOCH,
    };
    core.open(now, 1);
    let decision = core.decide(now.plus(1_000_000), Command::Tick);
    assert!(decision.record.is_none() && decision.wakes.is_empty() && !decision.more);
}
