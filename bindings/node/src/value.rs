//! How small values cross: objects in, JSON text out, failures as JavaScript errors with a code.

use interlinear_core::schema::{Json, ToJson};
use interlinear_core::{Failure, Output};
use napi::JsString;
use napi::bindgen_prelude::{Either, Env, Function, JsObjectValue as _, Object, Uint8ArraySlice, Unknown};

/// The status of an error is its `code` in JavaScript.
pub(crate) type Result<T> = napi::Result<T, String>;

/// Reports are plain data: they always have a JSON text.
pub(crate) fn json(value: &(impl ToJson + ?Sized)) -> String {
    Json::of(value).into_text()
}

/// What a call wrote: text, or bytes.
pub(crate) type Written<'env> = Either<JsString<'env>, Uint8ArraySlice<'env>>;

/// Hands over what a call wrote.
pub(crate) fn written<'env>(env: &'env Env, output: &mut Output) -> Result<Written<'env>> {
    let is_text = output.is_text();
    let written = output.written();
    let handed = if is_text {
        env.create_string_latin1(written).map(Either::A)
    } else {
        Uint8ArraySlice::copy_from(env, written).map(Either::B)
    };
    handed.map_err(|error| refused("GenericFailure", &error.reason))
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

/// The object is not what it should be.
fn refused(code: &str, error: &impl std::fmt::Display) -> napi::Error<String> {
    napi::Error::new(code.to_owned(), error.to_string())
}

/// An `Error` with a `code`.
pub(crate) fn thrown(failure: Failure) -> napi::Error<String> {
    napi::Error::new(failure.code, failure.message)
}
