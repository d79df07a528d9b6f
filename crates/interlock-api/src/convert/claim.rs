//! Claims and operations.

use super::refusal::refusal;
use crate::claim as wire;
use crate::problem::Problem;
use interlock_core::words::{Claim, Op, ResourceName};

pub(crate) fn claims(claims: &[wire::Claim]) -> Result<Vec<Claim>, Problem> {
    let each = claims.iter().enumerate();
    each.map(|(at, claim)| {
        let found = ResourceName::new(&claim.resource);
        let resource = found.map_err(|bad| refusal(&bad).in_item("resources", at))?;
        let op = claim.op.map(Op::from);
        Ok(Claim { resource, op })
    })
    .collect()
}

/// Claims as the wire has them.
pub fn shown(claims: &[Claim]) -> Vec<wire::Claim> {
    let each = claims.iter();
    each.map(|claim| wire::Claim {
        resource: claim.resource.to_string(),
        op: claim.op.map(wire::Op::from),
    })
    .collect()
}

impl From<wire::Op> for Op {
    fn from(op: wire::Op) -> Self {
        match op {
            wire::Op::Read => Op::Read,
            wire::Op::Update => Op::Update,
            wire::Op::Create => Op::Create,
            wire::Op::Delete => Op::Delete,
        }
    }
}

impl From<Op> for wire::Op {
    fn from(op: Op) -> Self {
        match op {
            Op::Read => wire::Op::Read,
            Op::Update => wire::Op::Update,
            Op::Create => wire::Op::Create,
            Op::Delete => wire::Op::Delete,
        }
    }
}
