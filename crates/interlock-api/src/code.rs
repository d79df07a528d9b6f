//! Error codes: one table of everything that a request can be answered with instead of what it
//! asked for. A code is never renamed or reused; each has a page in `docs/errors`.

use crate::text::echo;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Whether the same request may be granted later without a change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Retry {
    Later,
    Never,
}

/// What a refused request left behind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Nothing was changed.
    None,
    /// It may have been carried out all the same.
    Maybe,
}

macro_rules! codes {
    ($($name:ident $text:literal $status:literal $retry:ident $effect:ident $title:literal)+) => {
        /// A stable name for what went wrong. It knows its HTTP status, whether asking again may
        /// help, and whether the request may have been carried out all the same.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        pub enum Code {
            $(
                #[doc = $title]
                #[serde(rename = $text)]
                $name,
            )+
        }

        impl Code {
            /// All of them, in the order of the table.
            pub const ALL: &[Code] = &[$(Code::$name),+];

            /// The stable text.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text),+ }
            }

            /// The HTTP status.
            pub fn status(self) -> u16 {
                match self { $(Code::$name => $status),+ }
            }

            /// What went wrong, in a few words that are the same each time.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title),+ }
            }

            fn retry(self) -> Retry {
                match self { $(Code::$name => Retry::$retry),+ }
            }

            fn effect(self) -> Effect {
                match self { $(Code::$name => Effect::$effect),+ }
            }
        }
    };
}

codes! {
    // The request itself.
    BadJson "bad_json" 400 Never None "The body is not JSON"
    BadRequest "bad_request" 400 Never None "The request can't be read"
    UnknownField "unknown_field" 400 Never None "The request has a field that nobody knows"
    Unauthorized "unauthorized" 401 Never None "The token is missing or not valid"
    Forbidden "forbidden" 403 Never None "The token does not allow this"
    NotFound "not_found" 404 Never None "There is no such route"
    MethodNotAllowed "method_not_allowed" 405 Never None "The route does not take this method"
    PayloadTooLarge "payload_too_large" 413 Never None "The body or a payload is too large"
    UnsupportedMediaType "unsupported_media_type" 415 Never None "The body must be JSON"
    TooDeep "too_deep" 422 Never None "A payload nests too deep"
    // The server.
    Timeout "timeout" 408 Later Maybe "The request took too long"
    Gone "gone" 410 Never None "It was there, and is no more"
    Internal "internal" 500 Never Maybe "The server made a mistake"
    Overloaded "overloaded" 503 Later None "The server has too much to do"
    Unavailable "unavailable" 503 Later None "The namespace is not being served right now"
    OutcomeUnknown "outcome_unknown" 503 Later Maybe "It is not known whether the request was carried out"
    StorageFull "storage_full" 507 Later None "The disk is full"
    // Things that are not there.
    UnknownGroup "unknown_group" 404 Never None "There is no such group"
    UnknownKind "unknown_kind" 404 Never None "There is no such kind"
    UnknownNamespace "unknown_namespace" 404 Never None "There is no such namespace"
    UnknownNode "unknown_node" 404 Never None "There is no such node"
    UnknownQuota "unknown_quota" 404 Never None "There is no such quota"
    UnknownSchedule "unknown_schedule" 404 Never None "There is no such schedule"
    UnknownTask "unknown_task" 404 Never None "There is no such task"
    UnknownToken "unknown_token" 404 Never None "There is no such token"
    UnknownWorker "unknown_worker" 404 Never None "There is no such worker"
    // Values.
    BadName "bad_name" 422 Never None "A name breaks the rules for names"
    BadValue "bad_value" 422 Never None "A value is out of range or does not fit another"
    Cycle "cycle" 422 Never None "The items wait for one another in a circle"
    DuplicateResource "duplicate_resource" 422 Never None "A resource is claimed twice"
    IdempotencyMismatch "idempotency_mismatch" 422 Never None "The idempotency key belongs to another request"
    NeverEnough "never_enough" 422 Never None "The quota never allows so many units"
    QuotaNeedsOneResource "quota_needs_one_resource" 422 Never None "The task must claim exactly one resource of the quota's type"
    SpentLocally "spent_locally" 422 Never None "The run spends this quota by itself"
    TooMany "too_many" 422 Never None "There is more of something than one request may have"
    // Room.
    IdempotencyFull "idempotency_full" 429 Later None "There is no room for another idempotency key"
    KindFull "kind_full" 429 Later None "Too many tasks of the kind are waiting"
    NamespaceFull "namespace_full" 429 Later None "Too many tasks are waiting in the namespace"
    ResourceFull "resource_full" 429 Later None "Too many tasks are waiting for the resource"
    // The state of things.
    ConflictsWithAncestor "conflicts_with_ancestor" 409 Never None "The child would wait for its own parent"
    Ended "ended" 409 Never None "The task has ended"
    GroupNotAdmitted "group_not_admitted" 409 Never None "Another item of the group was not admitted"
    KindInUse "kind_in_use" 409 Never None "The kind still has tasks"
    LastAdmin "last_admin" 409 Never None "It is the last token that can create others"
    NameInUse "name_in_use" 409 Later None "A worker of this name still has live runs"
    NamespaceInUse "namespace_in_use" 409 Never None "The namespace still has tasks"
    NotEnded "not_ended" 409 Never None "The task has not ended"
    QuotaInUse "quota_in_use" 409 Never None "A kind still names the quota"
    Rejected "rejected" 409 Never None "The task can never run, or would have to wait"
    Running "running" 409 Never None "The task is running"
    SessionLost "session_lost" 409 Never None "The session lost a run"
    StaleSession "stale_session" 409 Never None "The session has ended"
    StaleTake "stale_take" 409 Never None "A later take was already answered"
    StaleToken "stale_token" 409 Never None "The run has ended"
    StandsForSeveral "stands_for_several" 409 Never None "The task stands for several submissions"
}

impl Code {
    /// Whether the same request may be granted later without a change.
    pub fn is_retryable(self) -> bool {
        self.retry() == Retry::Later
    }

    /// Whether it is certain that nothing was changed, so that asking again can't do a thing twice.
    pub fn had_no_side_effects(self) -> bool {
        self.effect() == Effect::None
    }

    /// The path of its page.
    pub fn page(self) -> String {
        format!("/docs/errors/{}", self.as_str())
    }
}

// By hand: what is derived has the names that the codes have in Rust.
impl PartialSchema for Code {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(
                "A stable name for what went wrong. It knows its HTTP status, whether asking again \
                 may help, and whether the request may have been carried out all the same.",
            ))
            .enum_values(Some(Code::ALL.iter().map(|code| code.as_str())))
            .into()
    }
}

impl ToSchema for Code {}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// There is no such code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no error code {0}")]
pub struct UnknownCode(String);

impl FromStr for Code {
    type Err = UnknownCode;

    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        let found = Code::ALL.iter().find(|code| code.as_str() == text);
        found.copied().ok_or_else(|| UnknownCode(echo(text)))
    }
}
