//! The kinds of the story, and what each does to a repository.

use crate::args::Speed;
use interlock_api::claim::Op;
use interlock_api::kind::{KindPolicy, OnLoss};

/// All of them, by name.
pub fn all(speed: Speed) -> [(&'static str, KindPolicy); 5] {
    [
        ("sync", sync(speed)),
        ("update", update(speed)),
        ("publish", publish(speed)),
        ("copy", copy(speed)),
        ("delete", delete(speed)),
    ]
}

/// Fetches packages. Its worker may die: then another one does it again.
pub fn sync(speed: Speed) -> KindPolicy {
    kind(Op::Update, OnLoss::Retry(3), speed)
}

/// Changes the description.
pub fn update(speed: Speed) -> KindPolicy {
    kind(Op::Update, OnLoss::Retry(3), speed)
}

/// Makes a list of the packages for everyone to see. It only reads, so several may run at once. If
/// its worker dies it is cancelled: whoever wanted it decides.
pub fn publish(speed: Speed) -> KindPolicy {
    kind(Op::Read, OnLoss::Cancel, speed)
}

/// Copies packages from one repository to another. Each submission says which one it reads.
pub fn copy(speed: Speed) -> KindPolicy {
    kind(Op::Update, OnLoss::Retry(3), speed)
}

/// Removes the repository. What comes after it is rejected.
pub fn delete(speed: Speed) -> KindPolicy {
    kind(Op::Delete, OnLoss::Retry(3), speed)
}

fn kind(op: Op, on_loss: OnLoss, speed: Speed) -> KindPolicy {
    KindPolicy {
        op: Some(op),
        on_loss: Some(on_loss),
        lease: Some(speed.lease()),
        ..KindPolicy::default()
    }
}
