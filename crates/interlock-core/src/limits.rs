//! Every limit of the rules stands here, each with the reason for its size.

/// Bytes in a name of a kind, worker, quota, schedule, tag or key.
pub const NAME_BYTES_MAX: usize = 200;
/// Bytes in `type:id`.
pub const RESOURCE_BYTES_MAX: usize = 400;
/// Claims of one task. A decision looks at each of them.
pub const CLAIMS_MAX: usize = 64;
/// Tasks one task may wait for.
pub const AFTER_MAX: usize = 1_000;
/// Tags of one task.
pub const TAGS_MAX: usize = 16;
/// Items in one submit command.
pub const BATCH_MAX: usize = 1_000;
/// Runs named in one beat, finishes carried by one call.
pub const RUNS_PER_CALL_MAX: usize = 1_000;
/// Tasks handed out by one take.
pub const TAKE_MAX: usize = 256;
/// Bytes of a payload or a result.
pub const PAYLOAD_BYTES_MAX: usize = 1 << 20;
/// Bytes of an error's message and detail together.
pub const ERROR_BYTES_MAX: usize = 16 << 10;
/// Bytes of an error's message: a line that many failures are grouped by, and lists show.
pub const ERROR_MESSAGE_BYTES_MAX: usize = 1 << 10;
/// Bytes of a trace context.
pub const TRACE_BYTES_MAX: usize = 512;
/// How deep children may nest. A child is checked against each ancestor.
pub const ANCESTORS_MAX: usize = 16;
/// Kinds a namespace may have.
pub const KINDS_MAX: usize = 1_000;
/// Kinds a session may handle.
pub const KINDS_PER_SESSION_MAX: usize = 256;
/// Quotas a namespace may have.
pub const QUOTAS_MAX: usize = 1_000;
/// Quotas a kind may name. Each is looked at before every start.
pub const QUOTAS_PER_KIND_MAX: usize = 16;
/// Limits of one quota.
pub const LIMITS_PER_QUOTA_MAX: usize = 8;
/// Schedules a namespace may have.
pub const SCHEDULES_MAX: usize = 10_000;
/// Worker sessions a namespace may have.
pub const SESSIONS_MAX: usize = 100_000;
/// Rungs of a retry ladder.
pub const RUNGS_MAX: usize = 32;

/// The highest priority; the lowest is 0.
pub const PRIORITY_MAX: u8 = 9;
/// The priority of a kind that states none.
pub const PRIORITY_DEFAULT: u8 = 4;

/// Lease of a kind that states none.
pub const LEASE_MS_DEFAULT: u64 = 15_000;
/// The shortest lease: below it a beat every third would be noise.
pub const LEASE_MS_MIN: u64 = 1_000;
/// The longest lease, and so the longest stall after a death.
pub const LEASE_MS_MAX: u64 = 300_000;
/// Grace of a kind that states none.
pub const GRACE_MS_DEFAULT: u64 = 10_000;
/// Losses that a kind forgives unless it says otherwise.
pub const LOSSES_MAX_DEFAULT: u32 = 3;
/// Retry window of a kind that states none: three days.
pub const RETRY_WINDOW_MS_DEFAULT: u64 = 3 * 86_400_000;
/// No wait, window or delay is longer than ten years.
pub const DURATION_MS_MAX: u64 = 10 * 366 * 86_400_000;
/// The head start of one level of priority: an hour.
pub const STEP_MS_DEFAULT: u64 = 3_600_000;
/// The largest step: a week, so that the starvation bound stays within nine weeks.
pub const STEP_MS_MAX: u64 = 7 * 86_400_000;
/// Waiting tasks per namespace and per resource unless set otherwise.
pub const WAITING_MAX_DEFAULT: u64 = 10_000_000;

/// Tasks that one `Tick` moves on behalf of a command that concerns many: half a millisecond.
pub const SLICE_MAX: usize = 500;
/// Tasks that any other command moves besides its own: others wait for its answer.
pub const SLICE_OF_COMMAND_MAX: usize = 250;
/// Tasks that one decision looks at in vain when it hands out; the next one goes on.
pub const LOOKS_MAX: usize = 250;
/// Tasks of one identity that a submission tries to join, newest first; barriers keep them apart.
pub const SAME_LOOKED_AT_MAX: usize = 8;
/// Reasons given with a verdict.
pub const REASONS_MAX: usize = 8;
/// How deep `explain` follows a chain of causes.
pub const EXPLAIN_DEPTH_MAX: usize = 8;
/// `explain` counts places in a line up to this; beyond it says "at least".
pub const PLACE_COUNT_MAX: usize = 10_000;
/// Entries of a line shown in the view of a resource.
pub const LINE_SHOWN_MAX: usize = 100;
/// Resources, or runs, that are looked at to find the busiest: some ten microseconds.
pub const BUSIEST_LOOKS: usize = 500;

/// How often a schedule fires at most: each firing is logged, also one that finds its task still there.
pub const SCHEDULE_EVERY_MS_MIN: u64 = 100;

/// How long an idempotency key is remembered.
pub const IDEMPOTENCY_MS: u64 = 86_400_000;
/// How many idempotency keys a namespace remembers.
pub const IDEMPOTENCY_KEYS_MAX: usize = 1_000_000;
/// How long the outcome of an ended task stays known, whatever its retention.
pub const OUTCOME_MS: u64 = 15 * 60_000;
/// Finishes a session may repeat and still get the first answer: two full calls.
pub const FINISHES_REMEMBERED: usize = 2 * TAKE_MAX;
/// Runs of a task that are remembered with their times and errors: the first and the latest ones.
pub const RUNS_REMEMBERED: usize = 16;
/// How long a silent session without runs is kept before it has to register again.
pub const SESSION_SILENT_MS: u64 = 3_600_000;
/// Units of a quota's limit, and of one report of use: sums of them never overflow.
pub const QUOTA_UNITS_MAX: u64 = 1_000_000_000_000;
/// Bytes of the unit and of the message of a progress report.
pub const PROGRESS_BYTES_MAX: usize = 1_000;
/// Buckets per quota window.
pub const QUOTA_BUCKETS: u64 = 60;
/// A budget slice is at most this share of what a long window has left.
pub const SLICE_SHARE: u64 = 10;
/// The longest a parked take waits before it is answered empty.
pub const TAKE_WAIT_MS_MAX: u64 = 60_000;
/// The longest pause that one call may put on a quota.
pub const PAUSE_MS_MAX: u64 = 7 * 86_400_000;
