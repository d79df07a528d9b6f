//! What only shows when all of it is put together: the rules themselves are asked, with a core that
//! is thrown away; and retries that can't be reached.

use super::{Config, Declared, tree};
use crate::when;
use interlock_api::{Code, Span, convert, sentence};
use interlock_core::words::{Elapsed, Kind, Now, Waits};
use interlock_core::{Command, Core, Reply};
use interlock_server::server::DEFAULT_NAMESPACE;
use std::collections::BTreeMap;

/// Asks the rules whether they would take what was read.
pub(super) fn check(config: &mut Config, text: &str) {
    let now = Now {
        elapsed: Elapsed(0),
        wall: when::now().into(),
    };
    let mut cores = BTreeMap::new();
    let declared = std::mem::take(&mut config.declared);
    for item in &declared {
        let core = cores.entry(item.namespace.as_str()).or_insert_with(|| {
            let mut core = Core::new(0);
            core.open(now, 1);
            core
        });
        decide(config, text, item, core, now);
        namespace(config, text, item);
        if let Command::SetKind(kind) = &item.command {
            for warning in retries(kind) {
                let what = format!("kind {:?}: {warning}", item.name);
                config.warnings.push(tree::note(text, item.start, what));
            }
        }
    }
    for (name, settings) in config.namespaces.clone() {
        let mut core = Core::new(0);
        core.open(now, 1);
        let reply = core.decide(now, Command::SetNamespace(settings)).reply;
        if let Reply::Refused(refusal) = reply {
            let what = format!(
                "namespace {name:?}: {}",
                convert::refusal::refusal(&refusal)
            );
            config.mistakes.push(tree::note(text, 0, what));
        }
    }
    config.declared = declared;
}

fn decide(config: &mut Config, text: &str, item: &Declared, core: &mut Core, now: Now) {
    let Reply::Refused(refusal) = core.decide(now, item.command.clone()).reply else {
        return;
    };
    let problem = convert::refusal::refusal(&refusal);
    let what = format!("{} {:?}: {problem}", item.what, item.name);
    let field = problem.more.field.as_deref();
    match (problem.code, &item.command) {
        // It may be there already: then the server will take it. What else is wrong shows when the
        // kind is there.
        (Code::UnknownKind, Command::SetSchedule(schedule)) => {
            let what = format!("{what}; this file does not declare it");
            config.warnings.push(tree::note(text, item.start, what));
            let kind = Kind::new(schedule.submission.kind.clone());
            core.decide(now, Command::SetKind(Box::new(kind)));
            decide(config, text, item, core, now);
        }
        (Code::UnknownQuota, Command::SetKind(kind)) => {
            let what = format!("{what}; this file does not declare it, or not rightly");
            config.warnings.push(tree::note(text, item.start, what));
            stand_in(kind, core, now);
        }
        (_, command) => {
            // What was left out has been named already.
            if !field.is_some_and(|field| item.left_out.iter().any(|left| left == field)) {
                let note = tree::note(text, item.start_of(field), what);
                config.mistakes.push(note);
            }
            if let Command::SetKind(kind) = command {
                stand_in(kind, core, now);
            }
        }
    }
}

/// A kind of the same name, so that whoever names it is not at fault.
fn stand_in(kind: &Kind, core: &mut Core, now: Now) {
    let kind = Kind::new(kind.name.clone());
    core.decide(now, Command::SetKind(Box::new(kind)));
}

fn namespace(config: &mut Config, text: &str, item: &Declared) {
    let named = |(name, _): &(String, _)| *name == item.namespace;
    if item.namespace != DEFAULT_NAMESPACE && !config.namespaces.iter().any(named) {
        let what = format!(
            "{} {:?}: this file does not declare the namespace {:?}",
            item.what, item.name, item.namespace
        );
        config.warnings.push(tree::note(text, item.start, what));
    }
}

/// Tries that the policy of a kind promises and never makes.
fn retries(kind: &Kind) -> Vec<String> {
    let window = Span::from_ms(kind.retry.window_ms);
    let rungs = match &kind.retry.waits {
        Waits::Ladder(rungs) => rungs.as_slice(),
        Waits::Exponential { first_ms, .. } => std::slice::from_ref(first_ms),
    };
    let mut warnings = Vec::new();
    let mut reached_ms: u64 = 0;
    for (at, rung) in rungs.iter().enumerate() {
        reached_ms = reached_ms.saturating_add(*rung);
        let (number, wait) = (at + 1, Span::from_ms(*rung));
        let tries_over = (kind.retry.tries_max).is_some_and(|tries| number >= tries as usize);
        if reached_ms > kind.retry.window_ms {
            warnings.push(format!(
                "retry {number}, after {wait}, can't be reached: it would begin {} after the first \
                 run at the earliest, and no try begins later than {window}",
                sentence::length(reached_ms)
            ));
        } else if tries_over {
            warnings.push(format!(
                "retry {number}, after {wait}, can't be reached: tries is {}",
                kind.retry.tries_max.unwrap_or(0)
            ));
        }
    }
    warnings
}
