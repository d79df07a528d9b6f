//! The worlds of the seeds, as givens for tables.

/// Repositories, as in Pulp: one kind per operation, and two workers for all of them.
pub(crate) const REPOSITORIES: &str = "
    kind sync
    kind update
    kind publish op=read
    kind create op=create
    kind delete op=delete
    register w1 sync update publish create delete
    register w2 sync update publish create delete
";

/// Hosts and their events, as in Katello: drained every three seconds, retried for six hours.
pub(crate) const HOSTS: &str = "
    kind applicability coalesce=latest gather=3s retry=3m for=6h
    kind remove_queue retry=3m for=6h
    kind register_host cancels=remove_queue
    register w1 applicability remove_queue register_host
";

/// Shops, as in Vela: regular and on-demand downloads, and uploads before both.
pub(crate) const SHOPS: &str = "
    kind regular_download priority=2
    kind forced_download priority=6
    kind upload_changes priority=7
    register w1 regular_download forced_download upload_changes
    register w2 regular_download forced_download upload_changes
";
