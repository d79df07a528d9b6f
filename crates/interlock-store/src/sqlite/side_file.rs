//! The side file `position`: what the store must contain at least.
//!
//! SQLite takes damage at the end of its write-ahead file for a commit that was cut short, and goes
//! on without it. The side file tells the two apart, for everything up to the last time that it was
//! written. It is replaced as a whole, and only after what it speaks of is durable, so it is always a
//! lower bound.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use twox_hash::XxHash3_64;

use crate::error::StoreError;
use crate::store::Result;
use crate::types::NamespaceId;

const NAME: &str = "position";
const FIRST_LINE: &str = "interlock position 1";

/// What the side file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Of which store.
    pub(super) store: u64,
    /// How many changes other than appends the store has seen.
    pub(super) changes: u64,
    /// Where the logs end.
    pub(super) ends: BTreeMap<NamespaceId, u64>,
}

impl Bounds {
    fn to_text(&self) -> String {
        let mut text = format!(
            "{FIRST_LINE}\nstore {:016x}\nchanges {}\n",
            self.store, self.changes
        );
        for (namespace, end) in &self.ends {
            let _ = writeln!(text, "namespace {namespace} {end}");
        }
        let sum = XxHash3_64::oneshot(text.as_bytes());
        let _ = writeln!(text, "sum {sum:016x}");
        text
    }

    /// Reads a text only if it is exactly what would be written.
    fn from_text(text: &str) -> Option<Self> {
        let mut bounds = Self::default();
        let mut lines = text.lines().skip(1);
        bounds.store = u64::from_str_radix(lines.next()?.strip_prefix("store ")?, 16).ok()?;
        bounds.changes = lines.next()?.strip_prefix("changes ")?.parse().ok()?;
        for line in lines {
            let Some(rest) = line.strip_prefix("namespace ") else {
                break;
            };
            let (namespace, end) = rest.split_once(' ')?;
            let namespace = NamespaceId(namespace.parse().ok()?);
            bounds.ends.insert(namespace, end.parse().ok()?);
        }
        (bounds.to_text() == text).then_some(bounds)
    }
}

/// The side file of a data directory, if there is one.
pub(super) fn read(dir: &Path) -> Result<Option<Bounds>> {
    let path = dir.join(NAME);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            let doing = "read";
            return Err(StoreError::Io {
                doing,
                path,
                source,
            });
        }
    };
    let bounds = str::from_utf8(&bytes).ok().and_then(Bounds::from_text);
    let damaged = || StoreError::damaged("the side file `position`", "its checksum is wrong");
    bounds.map(Some).ok_or_else(damaged)
}

/// Replaces the side file: after this returned, and also if the power fails in the middle, there is
/// a whole one.
pub(super) fn write(dir: &Path, bounds: &Bounds) -> io::Result<()> {
    let new = dir.join("position.new");
    let mut file = File::create(&new)?;
    file.write_all(bounds.to_text().as_bytes())?;
    file.sync_all()?;
    drop(file);
    fs::rename(&new, dir.join(NAME))?;
    sync_dir(dir)
}

/// Makes names that came or went in a directory durable.
pub(super) fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds() -> Bounds {
        Bounds {
            store: 7,
            changes: 12,
            ends: [(NamespaceId(1), 4711), (NamespaceId(3), 1)].into(),
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read(dir.path()).unwrap(), None);
        write(dir.path(), &bounds()).unwrap();
        assert_eq!(read(dir.path()).unwrap(), Some(bounds()));
    }

    #[test]
    fn no_flipped_bit_and_no_cut_goes_unnoticed() {
        let text = bounds().to_text().into_bytes();
        let read = |bytes: &[u8]| str::from_utf8(bytes).ok().and_then(Bounds::from_text);
        assert_eq!(read(&text), Some(bounds()));
        for bit in 0..text.len() * 8 {
            let mut flipped = text.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(read(&flipped), None, "bit {bit}");
        }
        for length in 0..text.len() {
            assert_eq!(read(&text[..length]), None, "cut at {length}");
        }
    }
}
