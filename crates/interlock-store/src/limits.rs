//! Every limit of the stores stands here, each with the reason for its size.

use std::time::Duration;

/// Bytes in the name of a namespace, token or setting.
pub const NAME_BYTES_MAX: usize = 200;
/// History rows that one list or purge looks at before it answers with a cursor: some 50 ms.
pub const LOOKS_MAX: usize = 5_000;
/// Bytes of history or log that one answer carries, unless its first row alone is larger.
pub const ANSWER_BYTES_MAX: usize = 8 << 20;
/// Pairs of kind and outcome that are told apart where several indexed runs are merged. Beyond it
/// (a resource that a thousand kinds have ended on) the rest are left out.
pub const STREAMS_MAX: usize = 4_000;
/// Pages of the write-ahead file after which `tend` moves them into the database: 8 MiB, so that
/// moving them takes some ten milliseconds.
pub const WAL_PAGES_SOFT: u64 = 2_000;
/// How many times as many there may be before they are moved while commits go on, since nothing has
/// been idle for long enough to tend: 32 MiB. Some are then pages that were written many times, and are
/// moved once.
pub const WAL_PAGES_BUSY: u64 = 4;
/// How many times as many there may be before commits wait until they are moved: 256 MiB.
pub const WAL_PAGES_STOP: u64 = 32;
/// So few pages are left to the writer: a millisecond or so.
pub const WAL_PAGES_FEW: i64 = 200;
/// How often pages are moved that came while others were: each time they are a tenth or so.
pub const FOLD_PASSES_MAX: u32 = 5;
/// Pages of the write-ahead file that are written ahead of a checkpoint without a sync: 4 MiB, some
/// ten milliseconds for whoever syncs next.
pub const UNSYNCED_PAGES_MAX: u64 = 1_000;
/// Bytes of the write-ahead file beyond which room is made in it ahead. A store that sees little has a
/// small one.
pub const WAL_ROOM_FROM: u64 = 1 << 20;
/// How much room is made in one go: some ten milliseconds, once per process and piece.
pub const WAL_ROOM_STEP: u64 = 4 << 20;
/// No more than this part of what is free on the disk is taken for it.
pub const WAL_ROOM_SHARE: u64 = 16;
/// How long connecting to a database server may take.
pub const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// How long a database server may be silent while something is on its way to it: then the connection
/// is given up. Less than a node's lease, so that there is time for another connection.
pub const SILENCE_MAX: Duration = Duration::from_secs(6);
/// How long a call to a database server may take: far beyond what a large checkpoint needs.
pub const CALL_WITHIN: Duration = Duration::from_secs(60);
/// Rows of one statement. More are written by several.
pub const ROWS_PER_STATEMENT: usize = 1_000;
/// Bytes of rows in one statement, unless the first alone has more. PostgreSQL takes 1 GiB.
pub const BYTES_PER_STATEMENT: usize = 16 << 20;
