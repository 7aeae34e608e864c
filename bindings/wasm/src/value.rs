//! How small values cross: objects in, JSON text out, failures as JavaScript errors with a code.

use std::cell::RefCell;

use interlinear_core::{Failure, Output};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Remembers why this instance is about to trap.
pub(crate) fn keep_panic(text: &str) {
    PANIC.with(|kept| *kept.borrow_mut() = Some(text.to_owned()));
}

/// Why this instance trapped.
pub(crate) fn kept_panic() -> Option<String> {
    PANIC.with(|kept| kept.borrow().clone())
}

/// Reports are plain data: they always have a JSON text.
pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Reads a small object, property by property.
pub(crate) fn read<T>(code: &str, value: &Ts<T>) -> Result<T, JsValue>
where
    T: Tsify<JsType: Clone> + DeserializeOwned,
{
    value.to_rust().map_err(|error| refused(code, &error))
}

/// Reads an object of which a part is kept as the JSON text that it is, for which there must be such text.
pub(crate) fn read_verbatim<T>(code: &str, value: &Ts<T>) -> Result<T, JsValue>
where
    T: Tsify + DeserializeOwned,
{
    serde_json::from_str(&stringify(&value.js_value())?).map_err(|error| refused(code, &error))
}

/// The JSON text of a value.
pub(crate) fn stringify(value: &JsValue) -> Result<String, JsValue> {
    js_sys::JSON::stringify(value).map(String::from)
}

/// Hands over what a call wrote: a string, or bytes.
pub(crate) fn written(output: &mut Output) -> JsValue {
    let is_text = output.is_text();
    let written = output.written();
    if is_text {
        // It is ASCII.
        return std::str::from_utf8(written).unwrap_or_default().into();
    }
    js_sys::Uint8Array::from(written.as_slice()).into()
}

/// The object is not what it should be.
fn refused(code: &str, error: &impl std::fmt::Display) -> JsValue {
    thrown(Failure { code: code.to_owned(), message: error.to_string() })
}

/// An `Error` with a `code`.
pub(crate) fn thrown(failure: Failure) -> JsValue {
    let error = js_sys::Error::new(&failure.message);
    // Setting a property of a fresh object does not fail.
    let _ = js_sys::Reflect::set(&error, &"code".into(), &failure.code.into());
    error.into()
}
