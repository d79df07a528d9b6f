//! Where `interlock serve` keeps things.

use serde::Deserialize;
use std::fmt;
use std::str::FromStr;

/// Where to keep things.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum StoreKind {
    /// In a file; survives everything that the disk survives.
    #[default]
    Sqlite,
    /// Nowhere: gone when the process ends.
    Memory,
    /// In the PostgreSQL database of this URL.
    Postgres(String),
}

impl FromStr for StoreKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "sqlite" => Ok(Self::Sqlite),
            "memory" => Ok(Self::Memory),
            url if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
                Ok(Self::Postgres(url.to_owned()))
            }
            _ => Err("it is `sqlite`, `memory` or a URL that begins with postgres://".to_owned()),
        }
    }
}

impl TryFrom<String> for StoreKind {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// Without the URL, which may hold a password.
impl fmt::Debug for StoreKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sqlite => "sqlite",
            Self::Memory => "memory",
            Self::Postgres(_) => "postgres://…",
        })
    }
}
