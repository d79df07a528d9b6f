//! Payloads and results: bytes to the core, JSON to the wire.

use crate::code::Code;
use crate::json::Json;
use crate::limits::JSON_DEPTH_MAX;
use crate::problem::Problem;
use interlock_core::limits::PAYLOAD_BYTES_MAX;
use interlock_core::words::Payload;

/// JSON from this field as bytes; `null` is no bytes at all.
pub fn payload(json: Option<Json>, field: &str) -> Result<Payload, Problem> {
    let Some(json) = json else {
        return Ok(Payload::default());
    };
    if json.get().len() > PAYLOAD_BYTES_MAX {
        let mut problem = Problem::new(
            Code::PayloadTooLarge,
            format!(
                "it has {} bytes, at most {PAYLOAD_BYTES_MAX} are allowed",
                json.get().len()
            ),
        );
        problem.more.max = Some(PAYLOAD_BYTES_MAX as u64);
        return Err(problem.at(field));
    }
    if json.is_too_deep() {
        let mut problem = Problem::new(
            Code::TooDeep,
            format!("it nests deeper than {JSON_DEPTH_MAX} levels"),
        );
        problem.more.max = Some(JSON_DEPTH_MAX as u64);
        return Err(problem.at(field));
    }
    Ok(Payload::from(json.into_bytes()))
}

/// Bytes as JSON; none if there are none. Bytes that came in by another door and are not JSON are
/// shown as a text.
pub fn shown(payload: &Payload) -> Option<Json> {
    if payload.is_empty() {
        return None;
    }
    let text = String::from_utf8_lossy(payload.bytes());
    let found = Json::new(text.clone().into_owned());
    Some(found.unwrap_or_else(|_| Json::of(&*text).expect("a text is JSON")))
}
