//! Seeded bugs: wrong rules that the simulator must catch from outside. They exist only with the
//! feature `bugs`; without it every question is answered `false` at compile time.

macro_rules! bugs {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        /// A wrong rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Bug {
            $($(#[$doc])+ $name,)+
        }

        impl Bug {
            /// Every bug there is.
            pub const ALL: &[Bug] = &[$(Bug::$name,)+];
        }
    };
}

bugs! {
    /// Readers pass a writer that waits ahead of them.
    ReadersPassWriters,
    /// A writer starts beside readers.
    WriterBesideReaders,
    /// A lifecycle task keeps its own rank, and so may go before those who came first.
    NoRankFloor,
    /// Tasks join the line although a lifecycle task is pending.
    BarrierIgnored,
    /// A delete that succeeded leaves the waiting tasks alone.
    DeleteCancelsNobody,
    /// A create that failed leaves those behind it alone.
    FailedCreateCancelsNobody,
    /// A delete also cancels what was submitted after a queued create.
    DeleteCancelsBeyondCreate,
    /// Nothing is ever rejected for the future of its resource.
    FutureNotTested,
    /// A submission of the same thing is merged into the run in progress.
    MergedIntoRunning,
    /// A submission is merged into a task on the other side of a barrier.
    MergedAcrossBarrier,
    /// Each submission of a flurry makes the gathering begin anew.
    GatherBeginsAnew,
    /// A merged task keeps its first payload although its kind wants the latest.
    FirstPayloadStays,
    /// `cancels` looks only at tasks that are due.
    CancelsOnlyDue,
    /// A finish is looked up by task instead of by run.
    FinishByTask,
    /// Lost runs are never found.
    LeaseNeverEnds,
    /// A lease ends well before its time.
    LeaseEndsEarly,
    /// A takeover leaves the runs of the old session alone.
    TakeoverKeepsRuns,
    /// A lost run burns a try.
    LossBurnsTry,
    /// A lost run goes to the end of the line.
    LossLosesPlace,
    /// The retry window is not looked at.
    WindowIgnored,
    /// The first retry waits for the second rung.
    LadderSkipsRung,
    /// A throttled task stays in line and blocks the others.
    ThrottledBlocksLine,
    /// A start takes no units.
    StartIsFree,
    /// Newcomers pass those who wait for units.
    QuotaQueuePassed,
    /// Units set aside for a task that leaves are never given back.
    SetAsideLeaks,
    /// The slice of a lost run does not count as used.
    LostSliceIsFree,
    /// A quota that is paused goes on granting.
    PauseIgnored,
    /// A take that is repeated gets other tasks.
    RepeatedTakeTakesMore,
    /// A finish that is repeated is refused.
    RepeatedFinishRefused,
    /// A parked take is not woken when a run ends.
    LostWakeUp,
    /// Live runs are lost when the namespace is opened.
    NoFreshLease,
    /// Every opening grants a fresh lease.
    FreshLeaseForEver,
    /// A held task is handed out.
    HoldIgnored,
    /// A task does not wait for those it depends on.
    DependencyNotAwaited,
    /// A task runs although one that it depends on failed.
    DependencyFailureIgnored,
    /// The good items of a bad group are admitted.
    GroupInParts,
    /// A child may claim what its parent holds.
    ChildNotChecked,
    /// A schedule fires although its last task is live.
    ScheduleOverlaps,
    /// Idempotency keys are not remembered.
    IdempotencyForgotten,
    /// A task starts after it should have been given up.
    StartWithinIgnored,
    /// A cancelled run frees its resources before its worker has stopped.
    CancelFreesAtOnce,
    /// A task starts before it is due.
    DueIgnored,
    /// All tasks have the same priority.
    PriorityIgnored,
}
