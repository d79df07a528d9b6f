//! Settings of a namespace: what is left out has the core's default.

use super::name::named;
use crate::code::Code;
use crate::namespace as wire;
use crate::problem::Problem;
use crate::span::Span;
use interlock_core::limits::STEP_MS_MAX;
use interlock_core::words::{Name, Namespace};

/// The name and settings of a namespace from the wire.
pub fn namespace(
    path: Option<&str>,
    policy: &wire::NamespacePolicy,
) -> Result<(Name, Namespace), Problem> {
    let name = named(path, policy.name.as_deref())?;
    if policy.step.is_some_and(|step| step.ms() > STEP_MS_MAX) {
        return Err(Problem::new(Code::BadValue, "it must be at most a week").at("step"));
    }
    let usual = Namespace::default();
    let settings = Namespace {
        step_ms: policy.step.map_or(usual.step_ms, Span::ms),
        waiting_max: policy.waiting_max.unwrap_or(usual.waiting_max),
        waiting_per_resource_max: policy
            .waiting_per_resource_max
            .unwrap_or(usual.waiting_per_resource_max),
    };
    Ok((name, settings))
}

/// All settings of a namespace.
pub fn shown(name: &str, settings: &Namespace) -> wire::NamespacePolicy {
    wire::NamespacePolicy {
        name: Some(name.to_owned()),
        step: Some(Span::from_ms(settings.step_ms)),
        waiting_max: Some(settings.waiting_max),
        waiting_per_resource_max: Some(settings.waiting_per_resource_max),
    }
}
