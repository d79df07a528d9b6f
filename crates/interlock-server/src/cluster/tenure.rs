//! By what right a process answers for a namespace.

use interlock_store::{NamespaceId, StoreError};

/// By what right a process answers for namespaces.
pub trait Tenure: Send + Sync + 'static {
    /// Makes this process the only writer of a namespace. Comes before every load of it.
    fn claim(&self, namespace: NamespaceId) -> Result<Term, StoreError>;

    /// May this process answer for what it has claimed, as far as its own clock tells? Asked after a
    /// request has arrived: only then does the answer say something about it.
    fn is_held(&self, term: Term) -> bool;

    /// Is that over for good, so that it has to be claimed again?
    fn is_over(&self, term: Term) -> bool;
}

/// An unbroken time of being the same node. What was claimed in an earlier one is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term(pub(super) u64);

/// The store belongs to this process alone.
pub struct Sole;

impl Tenure for Sole {
    fn claim(&self, _: NamespaceId) -> Result<Term, StoreError> {
        Ok(Term(0))
    }

    fn is_held(&self, _: Term) -> bool {
        true
    }

    fn is_over(&self, _: Term) -> bool {
        false
    }
}
