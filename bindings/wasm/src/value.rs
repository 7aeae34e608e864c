//! How small values cross: objects in, JSON text out, failures as JavaScript errors with a code.

use std::cell::RefCell;

use interlinear_core::schema::{Json, ToJson};
use interlinear_core::{Failure, Output};
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
pub(crate) fn json(value: &(impl ToJson + ?Sized)) -> String {
    Json::of(value).into_text()
}

/// The JSON text of a value; of what has none, no text.
pub(crate) fn stringify(value: &JsValue) -> Result<String, JsValue> {
    js_sys::JSON::stringify(value).map(|text| text.as_string().unwrap_or_default())
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

/// An `Error` with a `code`.
pub(crate) fn thrown(failure: Failure) -> JsValue {
    let error = js_sys::Error::new(&failure.message);
    // Setting a property of a fresh object does not fail.
    let _ = js_sys::Reflect::set(&error, &"code".into(), &failure.code.into());
    error.into()
}
