//! What an error of PostgreSQL means for whoever called the store.

use std::error::Error as _;

use tokio_postgres::error::{Severity, SqlState};

use crate::error::StoreError;

/// The result of something tried on the database.
pub(super) type Tried<T> = Result<T, Fault>;

/// Something tried on the database failed.
#[derive(Debug)]
pub(super) enum Fault {
    /// Refused by the store itself, for a reason that is already clear.
    Refused(StoreError),
    /// Failed in PostgreSQL, or on the way.
    Sql(tokio_postgres::Error),
    /// No answer came in time.
    Late,
    /// The connection was gone before anything was sent.
    Gone,
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Sql(error)
    }
}

impl Fault {
    /// Is the connection of no use any more?
    pub(super) fn is_lost(&self) -> bool {
        match self {
            Self::Refused(_) => false,
            Self::Late | Self::Gone => true,
            Self::Sql(error) => match error.as_db_error() {
                Some(said) => matches!(
                    said.parsed_severity(),
                    Some(Severity::Fatal | Severity::Panic)
                ),
                None => !is_about_a_value(error),
            },
        }
    }

    /// Did the database itself say that it did nothing?
    pub(super) fn is_answer(&self) -> bool {
        match self {
            Self::Refused(_) => true,
            Self::Late | Self::Gone => false,
            Self::Sql(error) => error.as_db_error().is_some() && !self.is_lost(),
        }
    }

    /// What it means if nothing was changed.
    pub(super) fn harmless(self, doing: &'static str) -> StoreError {
        let lost = self.is_lost();
        match self {
            Self::Refused(error) => error,
            fault if lost => StoreError::Unreachable {
                doing,
                why: fault.why(),
            },
            fault => fault.answered(doing),
        }
    }

    /// What happened, in words.
    pub(super) fn why(&self) -> String {
        match self {
            Self::Refused(error) => error.to_string(),
            Self::Late => "no answer came in time".to_owned(),
            Self::Gone => "the connection was lost".to_owned(),
            Self::Sql(error) => match error.as_db_error() {
                Some(said) => format!("{} ({})", said.message(), said.code().code()),
                None => match error.source() {
                    Some(source) => format!("{error}: {source}"),
                    None => error.to_string(),
                },
            },
        }
    }

    /// What an answer other than success means.
    fn answered(self, doing: &'static str) -> StoreError {
        let why = self.why();
        let Self::Sql(error) = self else {
            return StoreError::Database { doing, why };
        };
        let Some(code) = error.code() else {
            return StoreError::damaged("a row that was read", why);
        };
        match *code {
            SqlState::DISK_FULL => StoreError::Full { doing },
            SqlState::T_R_DEADLOCK_DETECTED
            | SqlState::T_R_SERIALIZATION_FAILURE
            | SqlState::FOREIGN_KEY_VIOLATION
            | SqlState::LOCK_NOT_AVAILABLE => StoreError::Contended,
            SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => {
                StoreError::damaged("the database", why)
            }
            SqlState::READ_ONLY_SQL_TRANSACTION
            | SqlState::TOO_MANY_CONNECTIONS
            | SqlState::CANNOT_CONNECT_NOW => StoreError::Unreachable { doing, why },
            _ => StoreError::Database { doing, why },
        }
    }
}

/// A value that is not what its column should hold, on either side: the connection is fine.
fn is_about_a_value(error: &tokio_postgres::Error) -> bool {
    let text = error.to_string();
    text.contains("serializing parameter")
        || text.contains("deserializing column")
        || text.contains("unexpected number of rows")
        || text.contains("invalid column")
}

/// A number for a signed column, which was checked to fit.
pub(super) fn column(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number from a signed column.
pub(super) fn number(column: i64) -> Result<u64, StoreError> {
    u64::try_from(column).map_err(|_| StoreError::damaged("a number", "it is negative"))
}
