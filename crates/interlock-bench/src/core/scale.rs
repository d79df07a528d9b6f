//! Every size of the benchmarks, in full and cut down.

/// How much of everything.
pub(crate) struct Scale {
    /// Resources that cycles are spread over.
    pub(crate) resources: usize,
    /// Cycles before the first measurement: enough virtual time for remembered outcomes to begin to
    /// be forgotten, so that forgetting is measured too.
    pub(crate) warm_up: u64,
    /// Cycles per turn.
    pub(crate) cycles: u64,
    /// Turns of each side.
    pub(crate) turns: usize,
    /// Other tasks waiting, few and many.
    pub(crate) crowd: (u64, u64),
    /// Tasks that wait on one busy resource.
    pub(crate) busy: u64,
    /// Tasks in one line, few and many.
    pub(crate) line: (u64, u64),
    /// Tasks whose memory is counted.
    pub(crate) memory: u64,
    /// Tasks of the kind that is held.
    pub(crate) hold: u64,
}

impl Scale {
    /// The sizes that the targets are stated for, or sizes that take seconds.
    pub(crate) fn new(quick: bool) -> Self {
        if quick { Self::quick() } else { Self::full() }
    }

    fn full() -> Self {
        Self {
            resources: 100_000,
            warm_up: 600_000,
            cycles: 64 * 1_000,
            turns: 9,
            crowd: (10_000, 1_000_000),
            busy: 17_000,
            line: (10, 100_000),
            memory: 1_000_000,
            hold: 1_000_000,
        }
    }

    fn quick() -> Self {
        Self {
            resources: 10_000,
            warm_up: 6_400,
            cycles: 64 * 100,
            turns: 5,
            crowd: (1_000, 30_000),
            busy: 17_000,
            line: (10, 10_000),
            memory: 100_000,
            hold: 50_000,
        }
    }
}
