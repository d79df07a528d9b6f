//! What happens in a world: random steps, and the kinds that they are about.
//!
//! A step names tasks, runs and workers by numbers that are taken modulo what there is, so that a
//! step still means something after the steps before it were shrunk away.

use interlock_core::words::{Coalesce, Kind, Name, OnLoss, Op, PayloadRule, Retry, Waits};
use proptest::prelude::*;
use std::fmt;

/// Resources of a world.
pub(crate) const RESOURCES: [&str; 4] = ["disk:a", "disk:b", "disk:c", "disk:d"];
/// Workers of a world.
pub(crate) const WORKERS: usize = 3;
/// Kinds of a world.
pub(crate) const KINDS: usize = 4;

/// The kinds of a world, and who handles them.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) step_ms: u64,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) handles: Vec<Vec<bool>>,
}

impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "step {} ms", self.step_ms)?;
        for kind in &self.kinds {
            let Kind {
                name,
                priority,
                coalesce,
                cancels,
                retry,
                on_loss,
                ..
            } = kind;
            let (lease, within, grace) = (kind.lease_ms, kind.run_within_ms, kind.grace_ms);
            writeln!(
                f,
                "kind {name}: priority {priority}, {:?}, {coalesce:?}",
                kind.op
            )?;
            writeln!(f, "  cancels {cancels:?}, {retry:?}, {on_loss:?}")?;
            writeln!(f, "  lease {lease}, run_within {within:?}, grace {grace}")?;
        }
        write!(f, "workers handle {:?}", self.handles)
    }
}

/// A submission.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) kind: usize,
    pub(crate) claims: Vec<(usize, Op)>,
    pub(crate) key: Option<u8>,
    pub(crate) priority: Option<u8>,
    pub(crate) due_in: Option<u64>,
    pub(crate) reject_if_busy: bool,
    pub(crate) start_within: Option<u64>,
    pub(crate) hold: bool,
    pub(crate) after: Vec<Afterwards>,
}

/// What a submission waits for: an earlier task, or an item of its group.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Afterwards {
    Task(usize),
    Item(usize),
}

/// How a worker says that a run ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum How {
    Succeed,
    Fail,
    FailAgainIn(u64),
    FailForGood,
    Release,
}

/// What is held or released.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Task(usize),
    Resource(usize),
    Kind(usize),
    Namespace,
}

/// One thing that happens.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Submit(Vec<Ask>),
    DryRun(Ask),
    Group(Vec<Ask>),
    CancelGroup(usize),
    Wait(u64),
    JumpWall(u64),
    Register {
        worker: usize,
        takeover: bool,
    },
    Take {
        worker: usize,
        max: usize,
        wait_ms: u64,
        finish: Option<How>,
    },
    RepeatTake {
        worker: usize,
    },
    ReturnTake {
        worker: usize,
    },
    Beat {
        worker: usize,
        but: Option<usize>,
    },
    Finish {
        run: usize,
        how: How,
    },
    FinishAgain {
        run: usize,
    },
    Goodbye {
        worker: usize,
    },
    Cancel {
        task: usize,
        all: bool,
    },
    Bump {
        task: usize,
        priority: u8,
    },
    Hold(Target),
    Release(Target),
}

/// The name of a kind by its number.
pub(crate) fn kind_name(kind: usize) -> Name {
    Name::new(&format!("k{kind}")).expect("a good name")
}

fn kind(index: usize) -> impl Strategy<Value = Kind> {
    let rule = prop::sample::select(vec![
        PayloadRule::Latest,
        PayloadRule::First,
        PayloadRule::Append,
    ]);
    let coalesce = (rule, prop_oneof![2 => Just(0), 1 => 500..4_000_u64])
        .prop_map(|(payload, gather_ms)| Coalesce { payload, gather_ms });
    let op = prop_oneof![1 => Just(Op::Read), 3 => Just(Op::Update)];
    let cancels = prop::collection::vec(0..KINDS, 0..2).prop_map(move |mut cancels| {
        cancels.retain(|&other| other != index);
        cancels.into_iter().map(kind_name).collect::<Vec<_>>()
    });
    let cancels = prop_oneof![2 => Just(Vec::new()), 1 => cancels];
    let lease_ms = prop::sample::select(vec![5_000, 9_000, 15_000, 40_000]);
    let run_within_ms = prop_oneof![3 => Just(None), 1 => (1_000..30_000_u64).prop_map(Some)];
    let on_loss = prop_oneof![
        1 => Just(OnLoss::Cancel),
        3 => (0..3_u32).prop_map(|losses_max| OnLoss::Retry { losses_max }),
    ];
    let coalesce = prop::option::of(coalesce);
    let grace_ms = 0..12_000_u64;
    (
        0..=9_u8,
        op,
        coalesce,
        cancels,
        retry(),
        on_loss,
        lease_ms,
        run_within_ms,
        grace_ms,
    )
        .prop_map(
            move |(
                priority,
                op,
                coalesce,
                cancels,
                retry,
                on_loss,
                lease_ms,
                run_within_ms,
                grace_ms,
            )| Kind {
                priority,
                op,
                coalesce,
                cancels,
                retry,
                on_loss,
                lease_ms,
                run_within_ms,
                grace_ms,
                ..Kind::new(kind_name(index))
            },
        )
}

fn retry() -> impl Strategy<Value = Retry> {
    let ladder = prop::sample::select(vec![
        vec![],
        vec![2_000],
        vec![1_000, 5_000, 20_000],
        vec![8_000, 3_000],
    ]);
    let window_ms = prop::sample::select(vec![4_000, 20_000, 60_000, 86_400_000]);
    let tries_max = prop_oneof![3 => Just(None), 1 => (1..4_u32).prop_map(Some)];
    (ladder, window_ms, tries_max).prop_map(|(ladder, window_ms, tries_max)| Retry {
        waits: Waits::Ladder(ladder),
        window_ms,
        tries_max,
    })
}

/// Kinds with every policy that the model knows.
pub(crate) fn setup() -> impl Strategy<Value = Setup> {
    let handles = prop::collection::vec(prop::bool::weighted(0.8), KINDS);
    (
        prop::sample::select(vec![10, 700, 5_000, 3_600_000]),
        [kind(0), kind(1), kind(2), kind(3)],
        prop::collection::vec(handles, WORKERS),
    )
        .prop_map(|(step_ms, kinds, handles)| Setup {
            step_ms,
            kinds: kinds.into(),
            handles,
        })
}

fn claims() -> impl Strategy<Value = Vec<(usize, Op)>> {
    let op = || {
        prop_oneof![
            6 => Just(Op::Read),
            9 => Just(Op::Update),
            2 => Just(Op::Create),
            2 => Just(Op::Delete),
        ]
    };
    let one = (prop_oneof![3 => Just(0), 1 => 0..RESOURCES.len()], op());
    let few = (
        prop::sample::subsequence((0..RESOURCES.len()).collect::<Vec<_>>(), 1..=4),
        [op(), op(), op(), op()],
    );
    prop_oneof![
        3 => one.prop_map(|claim| vec![claim]),
        2 => few.prop_map(|(resources, ops)| resources.into_iter().zip(ops).collect()),
    ]
}

/// A submission with every option but `after`.
pub(crate) fn ask() -> impl Strategy<Value = Ask> {
    let sometimes = |ms: std::ops::Range<u64>| prop_oneof![6 => Just(None), 1 => ms.prop_map(Some)];
    (
        0..KINDS,
        claims(),
        prop_oneof![4 => Just(None), 1 => (0..2_u8).prop_map(Some)],
        prop_oneof![2 => Just(None), 1 => (0..=9_u8).prop_map(Some)],
        sometimes(0..20_000),
        prop::bool::weighted(0.06),
        sometimes(1..15_000),
        prop::bool::weighted(0.04),
    )
        .prop_map(
            |(kind, claims, key, priority, due_in, reject_if_busy, start_within, hold)| Ask {
                kind,
                claims,
                key,
                priority,
                due_in,
                reject_if_busy,
                start_within,
                hold,
                after: Vec::new(),
            },
        )
}

fn how() -> impl Strategy<Value = How> {
    prop_oneof![
        6 => Just(How::Succeed),
        4 => Just(How::Fail),
        1 => (0..10_000_u64).prop_map(How::FailAgainIn),
        1 => Just(How::FailForGood),
        1 => Just(How::Release),
    ]
}

fn target() -> impl Strategy<Value = Target> {
    prop_oneof![
        3 => (0..100_usize).prop_map(Target::Task),
        3 => (0..RESOURCES.len()).prop_map(Target::Resource),
        3 => (0..KINDS).prop_map(Target::Kind),
        1 => Just(Target::Namespace),
    ]
}

/// Everything that workers do, and the passing of time.
pub(crate) fn work() -> impl Strategy<Value = Step> {
    let worker = || 0..WORKERS;
    let wait_ms = prop_oneof![3 => Just(0), 1 => 1..30_000_u64];
    prop_oneof![
        6 => (worker(), 1..4_usize, wait_ms, prop::option::weighted(0.3, how()))
            .prop_map(|(worker, max, wait_ms, finish)| Step::Take { worker, max, wait_ms, finish }),
        6 => (0..20_usize, how()).prop_map(|(run, how)| Step::Finish { run, how }),
        2 => (worker(), prop::option::weighted(0.2, 0..5_usize))
            .prop_map(|(worker, but)| Step::Beat { worker, but }),
        2 => (1..300_u64).prop_map(Step::Wait),
        3 => (300..9_000_u64).prop_map(Step::Wait),
    ]
}

/// What goes wrong with workers, and with clocks.
pub(crate) fn trouble() -> impl Strategy<Value = Step> {
    let worker = || 0..WORKERS;
    prop_oneof![
        1 => (9_000..60_000_u64).prop_map(Step::Wait),
        1 => (1..30_000_u64).prop_map(Step::JumpWall),
        3 => (worker(), any::<bool>())
            .prop_map(|(worker, takeover)| Step::Register { worker, takeover }),
        1 => worker().prop_map(|worker| Step::RepeatTake { worker }),
        1 => worker().prop_map(|worker| Step::ReturnTake { worker }),
        1 => (0..20_usize).prop_map(|run| Step::FinishAgain { run }),
        1 => worker().prop_map(|worker| Step::Goodbye { worker }),
    ]
}

/// What operators do.
pub(crate) fn steering() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (0..100_usize, any::<bool>()).prop_map(|(task, all)| Step::Cancel { task, all }),
        2 => (0..100_usize, 0..=9_u8).prop_map(|(task, priority)| Step::Bump { task, priority }),
        1 => target().prop_map(Step::Hold),
        2 => target().prop_map(Step::Release),
    ]
}

/// Submissions one by one, some in batches, some only to ask.
pub(crate) fn submissions() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => ask().prop_map(|ask| Step::Submit(vec![ask])),
        1 => prop::collection::vec(ask(), 2..4).prop_map(Step::Submit),
        1 => ask().prop_map(Step::DryRun),
    ]
}
