//! The OpenAPI document: what stands at its top, and what all routes have in common.

use axum::http::Method;
use std::collections::HashSet;
use utoipa::OpenApi;
use utoipa::openapi::path::{Operation, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{OpenApi as Openapi, Required};

/// What the document says at its top.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Interlock",
        description = "Coordinates background work on shared resources: many clients submit tasks, \
            many workers run them, and no two conflicting ones ever run at the same time.\n\n\
            Durations are written as `90s`, `3m`, `24h`, `500ms`; times as RFC 3339 has them. A \
            request with a field that nobody knows is refused; answers may gain fields. Every \
            answer that is not what was asked for is a `Problem` with a stable code.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    tags(
        (name = "overview", description = "A namespace in one look."),
        (name = "tasks", description = "Submit, look at, wait for and steer tasks."),
        (name = "groups", description = "Tasks that are admitted together, all or none."),
        (name = "resources", description = "What tasks touch: who holds it, and who waits for it."),
        (name = "kinds", description = "Registered types of task, with their policy."),
        (name = "schedules", description = "Submit tasks by the calendar or at an interval."),
        (name = "quotas", description = "How much may be started or spent."),
        (name = "workers", description = "Who runs tasks."),
        (name = "failures", description = "What failed for good, by kind and error."),
        (name = "events", description = "What happens, as a stream."),
        (name = "work", description = "What workers say: register, take, beat, finish."),
        (name = "namespaces", description = "Worlds of their own."),
        (name = "nodes", description = "The servers on one database, all equal."),
        (name = "tokens", description = "Who may do what."),
        (name = "server", description = "The server itself, and its documentation."),
    ),
)]
struct Document;

/// Tags of routes that concern no single namespace.
const WHOLE: [&str; 4] = ["namespaces", "nodes", "tokens", "server"];

/// The document before there are any routes.
pub(super) fn begin() -> Openapi {
    let mut document = Document::openapi();
    document.merge(interlock_api::schemas::Schemas::openapi());
    let components = document.components.get_or_insert_default();
    let mut token = Http::new(HttpAuthScheme::Bearer);
    token.description = Some(
        "Not needed as long as the server has no tokens and listens on a loopback address. The \
         names beside it are scopes: the token must have one of them."
            .to_owned(),
    );
    components.add_security_scheme("token", SecurityScheme::Http(token));
    document
}

/// The routes that take no query at all, by method and path.
pub(super) fn without_query(document: &Openapi) -> HashSet<(Method, String)> {
    let mut routes = HashSet::new();
    for (path, item) in &document.paths.paths {
        let operations = [
            (Method::GET, &item.get),
            (Method::POST, &item.post),
            (Method::PUT, &item.put),
            (Method::DELETE, &item.delete),
            (Method::PATCH, &item.patch),
        ];
        for (method, operation) in operations {
            let Some(operation) = operation else { continue };
            let mut parameters = operation.parameters.iter().flatten();
            if !parameters.any(|parameter| parameter.parameter_in == ParameterIn::Query) {
                routes.insert((method, path.clone()));
            }
        }
    }
    routes
}

/// Says of every route what all routes of its sort have.
pub(super) fn finish(document: &mut Openapi) {
    for path in document.paths.paths.values_mut() {
        let operations = [
            &mut path.get,
            &mut path.put,
            &mut path.post,
            &mut path.delete,
        ];
        for operation in operations.into_iter().flatten() {
            add_namespace(operation);
            name_it(operation);
        }
    }
}

/// Handlers of different nouns have the same names; an operation must not.
fn name_it(operation: &mut Operation) {
    let tag = operation.tags.iter().flatten().next();
    if let (Some(tag), Some(id)) = (tag, &mut operation.operation_id) {
        *id = format!("{tag}_{id}");
    }
}

fn add_namespace(operation: &mut Operation) {
    let tags = operation.tags.iter().flatten();
    if tags.clone().any(|tag| WHOLE.contains(&tag.as_str())) {
        return;
    }
    let name = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(interlock_core::limits::NAME_BYTES_MAX))
        .examples(["default"]);
    let parameter = ParameterBuilder::new()
        .name("Interlock-Namespace")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(
            "The namespace; that of the token if none, or else `default`.",
        ))
        .schema(Some(name));
    let parameters = operation.parameters.get_or_insert_default();
    parameters.push(parameter.build());
}
