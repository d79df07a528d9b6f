//! Every limit of the stores stands here, each with the reason for its size.

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
/// Pages after which an append moves them itself, since nothing has been idle for long enough to tend:
/// 32 MiB. Most are then pages that were written many times, and are moved once.
pub const WAL_PAGES_HARD: u64 = 8_000;
