//! What bounds the states. Time, crashes, moves, joins and epochs are not bounded.

/// Ticks of a lease that a node leaves unused.
pub const MARGIN: u8 = 1;
/// Ticks that a node's clock may lose within one lease.
pub const DRIFT: u8 = 1;
/// Ticks of a run's lease.
pub const RUN_LEASE: u8 = 2;

/// What there is in a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Ticks of the database's clock for which a lease is granted to a node.
    pub lease: u8,
    /// Writes that clients want done, each of which may be sent again and again until it is
    /// acknowledged.
    pub writes: u8,
    /// Appends on their way at a time whose sender is gone.
    pub lost_appends: u8,
    /// Whether there is a run, whose worker beats and which is released when its lease is over.
    pub run: bool,
    /// Whether clocks of nodes may lose time.
    pub drift: bool,
    /// Whether a renewal takes time. If not it is sent, granted and heard at once, which gives a node
    /// the most that it can have.
    pub slow_renewals: bool,
    /// How often the database's clock may be set back by a tick.
    pub set_backs: u8,
}

impl Bounds {
    /// What was acknowledged: writes, cut connections, crashes.
    pub const WRITES: Bounds = Bounds {
        lease: 2,
        writes: 2,
        lost_appends: 1,
        run: false,
        drift: false,
        slow_renewals: false,
        set_backs: 0,
    };

    /// Who may answer: a run and its beats, and clocks that lose time.
    pub const BEATS: Bounds = Bounds {
        lease: 3,
        writes: 0,
        lost_appends: 1,
        run: true,
        drift: true,
        slow_renewals: false,
        set_backs: 0,
    };

    /// How leases are counted: slow renewals, clocks that lose time, and one that is set back.
    pub const CLOCKS: Bounds = Bounds {
        lease: 3,
        writes: 0,
        lost_appends: 0,
        run: false,
        drift: true,
        slow_renewals: true,
        set_backs: 1,
    };

    /// Writes and beats together, so that answers can be stale.
    pub const READS: Bounds = Bounds {
        lease: 2,
        writes: 1,
        lost_appends: 1,
        run: true,
        drift: false,
        slow_renewals: false,
        set_backs: 0,
    };
}
