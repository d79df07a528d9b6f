//! The OpenAPI document: complete, of the right version, and with the limits that hold.

use interlock_api::Code;
use interlock_api::schemas::Schemas;
use interlock_core::limits;
use serde_json::Value;
use utoipa::OpenApi;

fn document() -> Value {
    serde_json::to_value(Schemas::openapi()).expect("JSON")
}

#[test]
fn it_is_openapi_3_1() {
    assert_eq!(document()["openapi"], "3.1.0");
}

#[test]
fn every_reference_leads_somewhere() {
    let document = document();
    let mut found = 0;
    walk(&document, &mut |value| {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            let pointer = reference.strip_prefix('#').expect("a reference within");
            assert!(document.pointer(pointer).is_some(), "{reference}");
            found += 1;
        }
    });
    assert!(found > 100, "{found} references");
}

fn walk(value: &Value, look: &mut impl FnMut(&Value)) {
    look(value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, look)),
        Value::Object(fields) => fields.values().for_each(|field| walk(field, look)),
        _ => {}
    }
}

#[test]
fn the_codes_are_those_that_are_sent() {
    let document = document();
    let listed = document["components"]["schemas"]["Code"]["enum"].clone();
    let sent: Vec<Value> = (Code::ALL.iter())
        .map(|code| serde_json::to_value(code).expect("JSON"))
        .collect();
    assert_eq!(listed, Value::from(sent));
}

#[test]
fn requests_refuse_unknown_fields() {
    let document = document();
    let requests = [
        "Beat",
        "BeatRun",
        "Bump",
        "Cancel",
        "Coalesce",
        "CreateToken",
        "Finish",
        "Finishes",
        "Goodbye",
        "KindPolicy",
        "NamespacePolicy",
        "PauseQuota",
        "Progress",
        "Purge",
        "QuotaPolicy",
        "QuotaUse",
        "Register",
        "ReportProgress",
        "Retention",
        "Retry",
        "RetryFailures",
        "RunError",
        "SchedulePolicy",
        "Spend",
        "Submission",
        "Submissions",
        "Take",
        "Units",
    ];
    for name in requests {
        let schema = &document["components"]["schemas"][name];
        assert_eq!(schema["additionalProperties"], false, "{name}: {schema}");
    }
}

#[test]
fn the_bounds_are_those_that_hold() {
    let document = document();
    let bound = |path: &str| {
        document
            .pointer(&format!("/components/schemas/{path}"))
            .cloned()
    };
    let table = [
        (
            "Submission/properties/kind/maxLength",
            limits::NAME_BYTES_MAX as u64,
        ),
        (
            "Submission/properties/resources/maxItems",
            limits::CLAIMS_MAX as u64,
        ),
        (
            "Submission/properties/after/maxItems",
            limits::AFTER_MAX as u64,
        ),
        (
            "Submission/properties/tags/maxItems",
            limits::TAGS_MAX as u64,
        ),
        (
            "Submission/properties/priority/maximum",
            u64::from(limits::PRIORITY_MAX),
        ),
        (
            "Submissions/properties/items/maxItems",
            limits::BATCH_MAX as u64,
        ),
        ("Claim/oneOf/0/maxLength", limits::RESOURCE_BYTES_MAX as u64),
        ("Take/properties/max/maximum", limits::TAKE_MAX as u64),
        (
            "Take/properties/finishes/maxItems",
            limits::RUNS_PER_CALL_MAX as u64,
        ),
        (
            "Beat/properties/runs/maxItems",
            limits::RUNS_PER_CALL_MAX as u64,
        ),
        (
            "Register/properties/kinds/maxItems",
            limits::KINDS_PER_SESSION_MAX as u64,
        ),
        (
            "KindPolicy/properties/quotas/maxItems",
            limits::QUOTAS_PER_KIND_MAX as u64,
        ),
        (
            "QuotaPolicy/properties/limits/maxItems",
            limits::LIMITS_PER_QUOTA_MAX as u64,
        ),
        ("Waits/oneOf/0/maxItems", limits::RUNGS_MAX as u64),
        (
            "Progress/properties/unit/maxLength",
            limits::PROGRESS_BYTES_MAX as u64,
        ),
        ("Units/properties/units/maximum", limits::QUOTA_UNITS_MAX),
        (
            "Report/properties/reasons/maxItems",
            limits::REASONS_MAX as u64,
        ),
    ];
    for (path, limit) in table {
        let found = bound(path).unwrap_or_else(|| panic!("{path} is not there"));
        assert_eq!(found.as_f64(), Some(limit as f64), "{path}");
    }
}

#[test]
fn every_property_is_described() {
    let document = document();
    let schemas = document["components"]["schemas"]
        .as_object()
        .expect("schemas");
    for (name, schema) in schemas {
        let Some(properties) = schema["properties"].as_object() else {
            continue;
        };
        for (property, schema) in properties {
            // One that may be null is described beside its type.
            let mut described = false;
            walk(schema, &mut |part| {
                described |= part.get("description").is_some()
            });
            assert!(described, "{name}.{property} has no description: {schema}");
        }
    }
}

#[test]
fn the_document_is_known() {
    assert_shape!("schemas", document()["components"]["schemas"]);
}
