//! Problems: every answer that is not what was asked for, as RFC 9457 describes it
//! (`application/problem+json`).

use crate::code::Code;
use crate::reason::Reason;
use crate::span::Span;
use crate::task::Outcome;
use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;

/// The media type of a problem.
pub const PROBLEM_JSON: &str = "application/problem+json";

/// What went wrong: a code, a sentence for this occurrence, and members that depend on the code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "ProblemBody", into = "ProblemBody")]
pub struct Problem {
    /// The stable code; type, title, status and `retryable` follow from it.
    pub code: Code,
    /// What happened this time, for a person.
    pub detail: String,
    /// The rest, which most problems have little of.
    pub more: Box<More>,
}

/// Members of a problem that depend on its code.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct More {
    /// Which field is at fault, such as `items[3].resources[0]`.
    pub field: Option<String>,
    /// What would have been understood: kinds, fields, states.
    pub known: Vec<String>,
    /// When to ask again.
    pub wait: Option<Span>,
    /// The limit that was reached.
    pub max: Option<u64>,
    /// How many there are.
    pub count: Option<u64>,
    /// The task that is concerned.
    pub task: Option<u64>,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// Which item of a group is at fault.
    pub item: Option<u64>,
    /// Why a task was rejected.
    pub reasons: Vec<Reason>,
}

impl Problem {
    /// A problem and its sentence.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            more: Box::default(),
        }
    }

    /// The same, at fault being this field.
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.more.field = Some(field.into());
        self
    }

    /// The same, with what would have been understood.
    pub fn knowing<T: Into<String>>(mut self, known: impl IntoIterator<Item = T>) -> Self {
        self.more.known = known.into_iter().map(Into::into).collect();
        self
    }

    /// The same, found inside of this: `field` becomes `prefix.field`.
    pub fn under(mut self, prefix: &str) -> Self {
        self.more.field = Some(match self.more.field.take() {
            Some(field) if field.starts_with('[') => format!("{prefix}{field}"),
            Some(field) => format!("{prefix}.{field}"),
            None => prefix.to_owned(),
        });
        self
    }

    /// The same, found in this element of a list: `field` becomes `list[at].field`.
    pub fn in_item(self, list: &str, at: usize) -> Self {
        self.under(&format!("{list}[{at}]"))
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.code.status()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.more.field {
            Some(field) => write!(f, "{field}: {}", self.detail),
            None => f.write_str(&self.detail),
        }
    }
}

impl std::error::Error for Problem {}

/// What went wrong: a stable code, a sentence about this occurrence, and what else helps. Sent as
/// `application/problem+json` (RFC 9457).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = Problem)]
#[schema(example = json!({
    "type": "/docs/errors/unknown_kind",
    "title": "There is no such kind",
    "status": 404,
    "code": "unknown_kind",
    "detail": "kind: unknown kind snyc",
    "retryable": false,
    "field": "kind",
    "known": ["sync", "publish"],
}))]
pub struct ProblemBody {
    /// The path of a page about the code.
    #[serde(rename = "type")]
    #[schema(format = "uri-reference", example = "/docs/errors/unknown_kind")]
    page: String,
    /// What went wrong, in a few words that are the same each time.
    title: String,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// The stable code.
    #[schema(value_type = Code)]
    code: String,
    /// What happened this time, for a person.
    detail: String,
    /// Whether the same request may be granted later without a change.
    retryable: bool,
    /// Which field is at fault, such as `items[3].resources[0]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// What would have been understood: kinds, fields, states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    known: Vec<String>,
    /// When to ask again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wait: Option<Span>,
    /// The limit that was reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max: Option<u64>,
    /// How many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    /// The task that is concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<u64>,
    /// How that task ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    /// Which item of a group is at fault, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    item: Option<u64>,
    /// Why a task was rejected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<Reason>,
}

impl From<Problem> for ProblemBody {
    fn from(problem: Problem) -> Self {
        // Whoever shows nothing but the detail shall see where, too.
        let detail = problem.to_string();
        let (code, more) = (problem.code, *problem.more);
        Self {
            page: code.page(),
            title: code.title().to_owned(),
            status: code.status(),
            code: code.as_str().to_owned(),
            detail,
            retryable: code.is_retryable(),
            field: more.field,
            known: more.known,
            wait: more.wait,
            max: more.max,
            count: more.count,
            task: more.task,
            outcome: more.outcome,
            item: more.item,
            reasons: more.reasons,
        }
    }
}

/// For clients. A code from a newer server is read as the nearest one that its status allows.
impl From<ProblemBody> for Problem {
    fn from(body: ProblemBody) -> Self {
        let nearest = match (body.status, body.retryable) {
            (500.., true) => Code::OutcomeUnknown,
            (500.., false) => Code::Internal,
            _ => Code::BadRequest,
        };
        let place = body.field.as_ref().map(|field| format!("{field}: "));
        let detail = place.and_then(|place| body.detail.strip_prefix(&place));
        let detail = detail.unwrap_or(&body.detail).to_owned();
        let more = More {
            field: body.field,
            known: body.known,
            wait: body.wait,
            max: body.max,
            count: body.count,
            task: body.task,
            outcome: body.outcome,
            item: body.item,
            reasons: body.reasons,
        };
        Self {
            code: body.code.parse().unwrap_or(nearest),
            detail,
            more: Box::new(more),
        }
    }
}

impl utoipa::PartialSchema for Problem {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        ProblemBody::schema()
    }
}

impl ToSchema for Problem {
    fn name() -> std::borrow::Cow<'static, str> {
        "Problem".into()
    }

    fn schemas(
        schemas: &mut Vec<(
            String,
            utoipa::openapi::RefOr<utoipa::openapi::schema::Schema>,
        )>,
    ) {
        ProblemBody::schemas(schemas);
    }
}
