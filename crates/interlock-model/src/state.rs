//! What there is at a moment: the database, the nodes, and the world around them.
//!
//! Times are kept as what is left of them, and of an epoch only whether it is in force, since one that
//! is not never is again. So the states are finitely many, however long everything goes on.

use crate::bounds::{Bounds, RUN_LEASE};

/// Room in the log.
pub const LOG_MAX: usize = 4;
/// Room for appends on their way.
pub const APPENDS_MAX: usize = 5;

/// Something to be written: what a client submits, or the end of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Write(pub u8);

impl Write {
    /// The run is released: its lease is over.
    pub const RELEASE: Write = Write(0);

    /// As a set of one.
    pub fn bit(self) -> u8 {
        1 << self.0
    }
}

/// Records by position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Log(pub [Option<Write>; LOG_MAX]);

impl Log {
    /// Where it ends, as whoever loads it sees: behind the last record.
    pub fn end(&self) -> u8 {
        let last = self.0.iter().rposition(Option::is_some);
        last.map_or(0, |last| last as u8 + 1)
    }

    /// Everything in it, as a set.
    pub fn set(&self) -> u8 {
        self.0.iter().flatten().fold(0, |set, one| set | one.bit())
    }

    /// Whether this is in it.
    pub fn has(&self, write: Write) -> bool {
        self.set() & write.bit() != 0
    }
}

/// Whether an epoch is the one in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Epoch {
    /// It is.
    Current,
    /// It was.
    Old,
}

/// A node's row in the database, as its clock judges it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Row {
    /// The lease has so many ticks left.
    Alive(u8),
    /// The lease has run out.
    Over,
    /// The node is dead for good: it left, or was declared dead.
    Ended,
}

impl Row {
    /// Whether the lease counts.
    pub fn is_alive(self) -> bool {
        matches!(self, Row::Alive(_))
    }
}

/// How far an append has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// On its way to the database.
    Sent,
    /// The epoch was found in force; the row is locked.
    Locked,
    /// Committed; the answer is on its way.
    Done,
}

/// An append under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Append {
    /// Who waits for the answer; nobody if the connection is lost or the process gone.
    pub from: Option<u8>,
    /// The epoch that it asserts.
    pub epoch: Epoch,
    /// Where in the log.
    pub position: u8,
    /// What.
    pub write: Write,
    /// How far it has come.
    pub stage: Stage,
}

/// A lease on a node's own clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lease {
    /// Ticks of its own clock for which the node may answer.
    pub left: u8,
    /// Ticks that its clock has lost since the call that it was granted by was sent.
    pub lost: u8,
}

/// A renewal under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Renewal {
    /// Ticks of the node's own clock since it was sent.
    pub ago: u8,
    /// Ticks that the clock has lost since.
    pub lost: u8,
    /// What the database said; nothing yet.
    pub granted: Option<bool>,
}

/// The one namespace, as a process sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cell {
    /// Not served here.
    Absent,
    /// Loaded, and not claimed: only by mistake.
    Read(Log),
    /// Claimed, and not loaded.
    Claimed(Epoch),
    /// Served.
    Serving {
        /// The epoch under which it was loaded.
        epoch: Epoch,
        /// What it was loaded with, and what was written since.
        memory: Log,
        /// Ticks until the run's lease is over.
        deadline: u8,
    },
}

/// A process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node {
    /// Whether it is a node, as far as it knows.
    pub joined: bool,
    /// Its lease.
    pub lease: Lease,
    /// A renewal under way.
    pub renewal: Option<Renewal>,
    /// The namespace.
    pub cell: Cell,
    /// The lease was found good before a call arrived: only by mistake.
    pub checked: bool,
}

impl Node {
    /// As another one sees it: it may answer.
    pub fn may_answer(&self) -> bool {
        self.joined && self.lease.left > 0
    }

    /// Whether it serves the namespace.
    pub fn is_serving(&self) -> bool {
        matches!(self.cell, Cell::Serving { .. })
    }
}

/// Where a beat is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum At {
    /// On its way.
    Network,
    /// With this node, which has found its lease good.
    Checked(u8),
}

/// A beat under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Beat {
    /// Ticks since it was sent.
    pub ago: u8,
    /// What was acknowledged when it was sent.
    pub knew: u8,
    /// Where it is.
    pub at: At,
}

/// What went wrong, where no state shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Flaws {
    /// Something was committed under an epoch that was not in force.
    pub zombie_wrote: bool,
    /// An answer left out what was acknowledged before it was asked for.
    pub stale_answer: bool,
}

/// What there is at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State<const N: usize> {
    /// The owner of the namespace; nobody, or one that is no more.
    pub owner: Option<u8>,
    /// The nodes' rows.
    pub rows: [Row; N],
    /// The log.
    pub log: Log,
    /// Appends under way, in order of their contents.
    pub appends: [Option<Append>; APPENDS_MAX],
    /// The processes.
    pub nodes: [Node; N],
    /// Ticks for which the worker may go on.
    pub worker: u8,
    /// Its beat.
    pub beat: Option<Beat>,
    /// What was acknowledged, as a set.
    pub acknowledged: u8,
    /// How often the clock may still be set back.
    pub set_backs: u8,
    /// What went wrong.
    pub flaws: Flaws,
}

impl<const N: usize> State<N> {
    /// All nodes have joined, and the first one serves an empty namespace.
    pub fn first(bounds: Bounds, usable: u8) -> Self {
        let node = Node {
            joined: true,
            lease: Lease {
                left: usable,
                lost: 0,
            },
            renewal: None,
            cell: Cell::Absent,
            checked: false,
        };
        let mut nodes = [node; N];
        nodes[0].cell = Cell::Serving {
            epoch: Epoch::Current,
            memory: Log::default(),
            deadline: run_lease(bounds),
        };
        Self {
            owner: Some(0),
            rows: [Row::Alive(bounds.lease); N],
            log: Log::default(),
            appends: [None; APPENDS_MAX],
            nodes,
            worker: run_lease(bounds),
            beat: None,
            acknowledged: 0,
            set_backs: bounds.set_backs,
            flaws: Flaws::default(),
        }
    }

    /// The append that a node waits for.
    pub fn append_of(&self, node: u8) -> Option<usize> {
        let is_its = |append: &Option<Append>| append.is_some_and(|one| one.from == Some(node));
        self.appends.iter().position(is_its)
    }

    /// Whether an append holds the lock on the ownership row.
    pub fn is_locked(&self) -> bool {
        let mut appends = self.appends.iter().flatten();
        appends.any(|append| append.stage == Stage::Locked)
    }

    /// Appends that nobody waits for.
    pub fn lost_appends(&self) -> u8 {
        let lost = self.appends.iter().flatten();
        lost.filter(|append| append.from.is_none()).count() as u8
    }

    /// The ownership row has changed: no epoch that anybody knows is in force.
    pub fn raise_epoch(&mut self) {
        for append in self.appends.iter_mut().flatten() {
            append.epoch = Epoch::Old;
        }
        for node in &mut self.nodes {
            match &mut node.cell {
                Cell::Claimed(epoch) | Cell::Serving { epoch, .. } => {
                    *epoch = Epoch::Old;
                }
                Cell::Absent | Cell::Read(_) => {}
            }
        }
    }

    /// A node serves the namespace no more; what has arrived there is refused.
    pub fn drop_cell(&mut self, node: u8) {
        self.nodes[node as usize].cell = Cell::Absent;
        self.nodes[node as usize].checked = false;
        self.drop_beat(node);
    }

    fn drop_beat(&mut self, node: u8) {
        if self.beat.map(|beat| beat.at) == Some(At::Checked(node)) {
            self.beat = None;
        }
    }

    /// The order of appends means nothing; nor does it whether a lease that is over was declared to
    /// be, if no clock can be set back.
    pub fn tidy(&mut self) {
        if self.set_backs == 0 {
            for row in &mut self.rows {
                if *row == Row::Over {
                    *row = Row::Ended;
                }
            }
        }
        self.appends.sort_unstable_by(|a, b| b.cmp(a));
    }
}

/// Ticks of the run's lease; none if there is no run.
pub fn run_lease(bounds: Bounds) -> u8 {
    if bounds.run { RUN_LEASE } else { 0 }
}
