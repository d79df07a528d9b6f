//! What every store must do, run against each of them. A store joins by a type that can open it, and
//! open it again as after a crash.
#![allow(clippy::unwrap_used, reason = "lets tests unwrap in their helpers too")]

mod checkpoints;
mod histories;
mod logs;
mod material;
mod namespaces;
mod tokens;

use std::time::Duration;

use interlock_pgtest::{Database, Server};
use interlock_store::postgres::NewNode;
use interlock_store::{MemoryStore, PostgresStore, SqliteStore, Store};

/// A place that holds a store.
trait Home {
    /// Opens what is there.
    fn open(&self) -> Box<dyn Store>;
}

struct Memory(MemoryStore);

impl Home for Memory {
    fn open(&self) -> Box<dyn Store> {
        Box::new(self.0.clone())
    }
}

struct Sqlite(tempfile::TempDir);

impl Home for Sqlite {
    fn open(&self) -> Box<dyn Store> {
        Box::new(SqliteStore::open(self.0.path()).unwrap())
    }
}

struct Postgres(Database<'static>);

impl Postgres {
    fn new() -> Self {
        Self(Server::shared().database())
    }
}

impl Home for Postgres {
    /// As the only node, which owns everything.
    fn open(&self) -> Box<dyn Store> {
        let store = PostgresStore::open(&self.0.url()).unwrap();
        let mut ownership = store.ownership();
        let new = NewNode {
            name: "only".to_owned(),
            address: "http://127.0.0.1:1".to_owned(),
            version: "1".to_owned(),
            lease: Duration::from_secs(600),
            takeover: true,
        };
        ownership.join(&new).unwrap();
        assert_eq!(ownership.claim_all().unwrap(), []);
        Box::new(store)
    }
}

/// One test per behaviour and store.
macro_rules! behaviours {
    ($($file:ident: $($name:ident)*;)*) => {
        mod memory {
            $($(#[test] fn $name() {
                crate::$file::$name(&crate::Memory(Default::default()));
            })*)*
        }

        mod sqlite {
            $($(#[test] fn $name() {
                crate::$file::$name(&crate::Sqlite(tempfile::tempdir().unwrap()));
            })*)*
        }

        mod postgres {
            $($(#[test] fn $name() {
                crate::$file::$name(&crate::Postgres::new());
            })*)*
        }
    };
}

behaviours! {
    namespaces:
        a_new_store_is_empty
        namespaces_are_listed_by_id
        names_are_unique_until_removed
        a_removed_namespace_is_gone_at_once_and_swept_in_slices
        settings_are_kept_replaced_and_deleted
        bad_names_are_refused;
    logs:
        what_was_appended_is_loaded_in_order
        an_append_covers_several_namespaces
        an_append_with_a_gap_writes_nothing
        an_append_to_an_unknown_namespace_writes_nothing
        an_empty_record_is_refused
        the_log_is_read_from_any_position
        a_reader_sees_what_was_appended_before
        large_records_are_kept;
    checkpoints:
        a_checkpoint_in_slices_is_the_same_as_at_once
        many_tasks_are_written_ahead_as_they_are
        the_rows_of_a_checkpoint_may_come_in_parts
        what_was_written_ahead_counts_for_nothing_by_itself
        rows_are_put_replaced_and_deleted
        a_checkpoint_within_a_record_keeps_the_record
        the_history_says_up_to_when_it_is_complete
        a_checkpoint_deletes_the_log_up_to_where_it_says
        a_position_that_was_folded_is_too_old
        a_log_folded_to_its_end_goes_on_where_it_ended
        bad_checkpoints_change_nothing
        namespaces_do_not_mix
        a_load_can_be_stopped;
    histories:
        an_ended_task_is_found_by_its_id_and_its_aliases
        ended_tasks_are_listed_newest_first_in_pages
        each_filter_finds_its_tasks
        filters_are_combined
        writing_a_task_again_replaces_it
        failures_are_grouped_by_kind_and_error
        the_last_end_of_each_kind_is_known
        expired_tasks_are_purged_in_slices
        tasks_are_purged_by_filter
        numbers_too_large_are_refused
        any_text_is_kept;
    tokens:
        tokens_are_kept_and_revoked;
}
