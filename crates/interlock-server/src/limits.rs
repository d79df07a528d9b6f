//! Every limit of the server stands here, each with the reason for its size.

use std::time::Duration;

/// Requests that wait to be decided in one cell. Beyond it a caller is told to come back.
pub const INBOX_MAX: usize = 20_000;
/// Requests that are decided as one batch. Bounds how long an answer waits for its neighbours.
pub const BATCH_REQUESTS_MAX: usize = 2_000;
/// Bytes of events in one batch, about.
pub const BATCH_BYTES_MAX: usize = 4 << 20;
/// Bytes that are kept to write the next batch into, until a moment comes in which nobody asks for
/// anything: memory that nobody had before is dear in its first use, and a larger batch is rare.
pub const BATCH_ROOM_MAX: usize = 1 << 20;
/// How often what comes while a commit is being made is decided, to be in the next one. Most commits
/// are shorter: deciding each request as it comes would wake the cell for each.
pub const GATHER_FOR: Duration = Duration::from_millis(1);
/// Requests that take this long to be decided, such as large batches, are worth waking a cell for,
pub const WORTH_WAKING: Duration = Duration::from_micros(50);
/// so that they are decided this often.
pub const GATHER_LARGE_FOR: Duration = Duration::from_micros(100);
/// What took this long to be decided is worth a commit of its own, if none is being made: more can be
/// decided meanwhile.
pub const DECIDE_FOR: Duration = Duration::from_micros(500);
/// A cell whose commits take less than this writes them by itself if nobody else has anything to write:
/// deciding meanwhile would gain less than handing them over costs.
pub const WRITE_AT_ONCE_BELOW: Duration = Duration::from_millis(2);
/// The same for the bytes of what it has decided: while more is written it is worth deciding the next.
pub const WRITE_AT_ONCE_BYTES: usize = 16 << 10;
/// So many answers in one batch show that more requests will come while it is being written.
pub const BUSY_ANSWERS: usize = 4;
/// Slices of what concerns many tasks that are decided and not yet written: they come by themselves,
/// as fast as they are decided, and every answer waits for those before it. With them come as many
/// rows for checkpoints.
pub const SLICES_AHEAD: usize = 2;
/// Bytes of events that go into one commit, about.
pub const COMMIT_BYTES_MAX: usize = 16 << 20;

/// Changed rows that lead to a checkpoint. It bounds what a restart has to fold, to half a second or
/// so; loading as many tasks from their rows takes as long. A task that comes and goes between two
/// checkpoints costs no row.
pub const CHECKPOINT_ROWS: usize = 500_000;
/// The same for those that replace or delete a row: they are written as one at the end, some hundred
/// milliseconds for those who wait, and are kept in memory until then.
pub const CHECKPOINT_REPLACED: usize = 20_000;
/// The same while nobody asks for anything: what has to be written anyway is best written then.
pub const CHECKPOINT_ROWS_QUIET: usize = 10_000;
/// Rows of a checkpoint that a cell gives out in one go: about a millisecond for those who wait.
pub const PART_ROWS: usize = 512;
/// The same if as much has been decided since the last ones: no more than deciding it took.
pub const PART_ROWS_MAX: usize = 16_384;
/// How long a cell that stops waits for such a part to be written, before it leaves the rest to the
/// log.
pub const LAST_PART_WITHIN: Duration = Duration::from_secs(10);
/// Rows in each of the lists that they are given out in.
pub const PART_LIST: usize = 256;
/// How soon a cell that nobody asks for anything hears what the committer reports.
pub const HEAR_EVERY: Duration = Duration::from_millis(20);
/// The same if a checkpoint goes on with the report, or somebody waits for it.
pub const HEAR_SOON: Duration = Duration::from_millis(1);
/// Ended tasks that lead to a checkpoint. They stay in memory until then.
pub const CHECKPOINT_ENDED: usize = 25_000;
/// Bytes of the log that lead to a checkpoint.
pub const CHECKPOINT_BYTES: usize = 128 << 20;
/// A cell with changes is checkpointed after this long.
pub const CHECKPOINT_EVERY: Duration = Duration::from_secs(10);
/// Rows of a checkpoint that each commit makes due, or as many as there were events in it if those
/// are more, so that checkpoints keep up.
pub const FOLD_PER_COMMIT: u64 = 64;
/// They are written when there are so many: a millisecond or so, for those who wait for the next
/// commit. Fewer at once would touch the same pages again and again.
pub const FOLD_AT_ONCE: u64 = 256;
/// Rows of a checkpoint that are held and written together, if many are due. Larger lists take memory
/// that nobody had before, of which the first use is dear.
pub const FOLD_SLICE: u64 = 512;
/// Rows of a checkpoint that are written in one go while nobody waits: whoever comes then waits for
/// two milliseconds at most.
pub const FOLD_WHEN_IDLE: u64 = 200;
/// Nobody waits if nothing has arrived for so long: the next requests of those who were just
/// answered are on their way.
pub const IDLE_AFTER: Duration = Duration::from_millis(2);
/// The store is given time for itself if nothing has arrived for so long: it may take some tens of
/// milliseconds, for which a gap between two requests is too short.
pub const TEND_AFTER: Duration = Duration::from_millis(20);
/// Events that stay readable after a checkpoint, for those who follow them by cursor.
pub const EVENTS_KEPT: u64 = 1_000_000;
/// For how long they stay readable at most.
pub const EVENTS_KEPT_MS: u64 = 3_600_000;

/// Followers of events that fall behind by more batches than this have to read the log.
pub const FEED_MAX: usize = 1_024;
/// Who waits for one namespace's tasks to end.
pub const WATCHERS_MAX: usize = 100_000;
/// How long a read or a decision may take before the caller is told that the server is busy.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// How long a cell waits before it tries to load again after a storage error.
pub const RECOVER_AFTER: Duration = Duration::from_millis(500);
/// History rows purged in one go, between two commits.
pub const PURGE_SLICE: usize = 2_000;
/// How often expired history is looked for.
pub const PURGE_EVERY: Duration = Duration::from_secs(30);
/// Live tasks that one page of a list looks at.
pub const LIST_LOOKS: usize = 5_000;

/// Connections at the same time: parked takes hold one each.
pub const CONNECTIONS_MAX: usize = 20_000;
/// How soon the headers of a request must have come, and how long a connection may idle.
pub const HEADERS_WITHIN: Duration = Duration::from_secs(75);
/// How soon a body must have come.
pub const BODY_WITHIN: Duration = Duration::from_secs(30);
/// How soon a client must have agreed on TLS.
pub const HANDSHAKE_WITHIN: Duration = Duration::from_secs(10);
/// Bytes of headers of one request, about.
pub const HEADER_BYTES_MAX: usize = 64 << 10;
/// How long to wait after a connection could not be accepted.
pub const ACCEPT_AGAIN: Duration = Duration::from_millis(50);
/// How long requests under way have at a shutdown.
pub const SHUTDOWN_WITHIN: Duration = Duration::from_secs(20);

/// Failed tasks that one request retries.
pub const RETRIES_MAX: usize = 1_000;
/// How many of them are submitted in one decision, so that others get their turn.
pub const RETRIES_SLICE: usize = 100;
/// Namespaces of one server: each has a thread of its own.
pub const NAMESPACES_MAX: usize = 1_000;

/// How often a silent stream of events says that it is still there.
pub const KEEP_ALIVE_EVERY: Duration = Duration::from_secs(15);
/// How often a stream tells how far runs are.
pub const PROGRESS_EVERY: Duration = Duration::from_millis(250);
/// Records of the log that a stream reads in one go.
pub const LOG_RECORDS_READ: usize = 200;
/// Tasks of the current state that a stream reads in one go.
pub const STATE_TASKS_READ: usize = 200;
