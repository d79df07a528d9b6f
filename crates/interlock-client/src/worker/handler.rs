//! Handlers of any payload and result, as one type.

use super::error::Error;
use super::run::Run;
use futures_util::future::BoxFuture;
use interlock_api::json::Json;
use interlock_api::limits::JSON_DEPTH_MAX;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// The largest result that a server takes.
const RESULT_BYTES_MAX: usize = 1 << 20;

pub(super) type Handled = BoxFuture<'static, Result<Option<Json>, Error>>;
pub(super) type Handler = Arc<dyn Fn(Run, Option<Json>) -> Handled + Send + Sync>;

/// A handler with its types forgotten: reads the payload and writes the result.
pub(super) fn erased<P, R, H, F>(handler: H) -> Handler
where
    P: DeserializeOwned + Send + 'static,
    R: Serialize + Send + 'static,
    H: Fn(Run, P) -> F + Send + Sync + 'static,
    F: Future<Output = Result<R, Error>> + Send + 'static,
{
    Arc::new(move |run, payload| match read::<P>(payload.as_ref()) {
        Ok(payload) => {
            let handled = handler(run, payload);
            Box::pin(async move { written(&handled.await?) })
        }
        Err(error) => Box::pin(async move { Err(error) }),
    })
}

fn read<P: DeserializeOwned>(payload: Option<&Json>) -> Result<P, Error> {
    let text = payload.map_or("null", Json::get);
    serde_json::from_str(text).map_err(|error| {
        let wrong = Error::give_up("the payload is not what the handler takes");
        wrong.with_detail(error.to_string())
    })
}

fn written<R: Serialize>(result: &R) -> Result<Option<Json>, Error> {
    let bad = |why: String| Error::give_up("the result can't be kept").with_detail(why);
    let json = Json::of(result).map_err(|error| bad(error.to_string()))?;
    let bytes = json.get().len();
    if bytes > RESULT_BYTES_MAX {
        let why = format!("it has {bytes} bytes, at most {RESULT_BYTES_MAX} are allowed");
        return Err(bad(why));
    }
    if depth(json.get()) > JSON_DEPTH_MAX {
        return Err(bad(format!("it nests deeper than {JSON_DEPTH_MAX} levels")));
    }
    Ok((json.get() != "null").then_some(json))
}

/// How deep a text nests that is JSON.
fn depth(text: &str) -> usize {
    let (mut now, mut most, mut quoted) = (0_usize, 0, false);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if quoted => {
                bytes.next();
            }
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                now += 1;
                most = most.max(now);
            }
            b']' | b'}' if !quoted => now = now.saturating_sub(1),
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_that_no_server_takes_fails_for_good() {
        let deep = |levels: usize| {
            let text = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
            written(&serde_json::value::RawValue::from_string(text).expect("JSON"))
        };
        assert!(deep(100).is_ok());
        assert!(deep(101).is_err());
        assert!(written(&"x".repeat(1 << 20)).is_err());
        assert!(written(&"[[".repeat(1_000)).is_ok());
        assert!(written(&()).expect("nothing").is_none());
    }
}
