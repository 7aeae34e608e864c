//! How small values cross: objects in, JSON text out, failures as JavaScript errors with a code.

use interlinear_core::schema::{Json, ToJson};
use interlinear_core::{Encoding, Failure};
use napi::bindgen_prelude::{Env, Function, JsObjectValue as _, Object, Unknown};

/// The status of an error is its `code` in JavaScript.
pub(crate) type Result<T> = napi::Result<T, String>;

/// Reports are plain data: they always have a JSON text.
pub(crate) fn json(value: &(impl ToJson + ?Sized)) -> String {
    Json::of(value).into_text()
}

/// The JSON text of a value.
pub(crate) fn stringify(env: Env, code: &str, value: Unknown<'_>) -> Result<String> {
    let call = || -> napi::Result<String> {
        let json: Object<'_> = env.get_global()?.get_named_property("JSON")?;
        let stringify: Function<'_, Unknown<'_>, String> = json.get_named_property("stringify")?;
        stringify.call(value)
    };
    call().map_err(|error| refused(code, &error.reason))
}

/// Reads the name of an encoding.
pub(crate) fn encoding(name: &str) -> Result<Encoding> {
    match name {
        "array" => Ok(Encoding::Array),
        "ndjson" => Ok(Encoding::Ndjson),
        "trace" => Ok(Encoding::Trace),
        _ => Err(refused("bad_options", &format!("unknown encoding `{name}`, expected `array`, `ndjson` or `trace`"))),
    }
}

/// The object is not what it should be.
fn refused(code: &str, error: &impl std::fmt::Display) -> napi::Error<String> {
    napi::Error::new(code.to_owned(), error.to_string())
}

/// An `Error` with a `code`.
pub(crate) fn thrown(failure: Failure) -> napi::Error<String> {
    napi::Error::new(failure.code, failure.message)
}
