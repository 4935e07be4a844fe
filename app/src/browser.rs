//! The few things asked of the browser directly: assets, the clock, kept data, marks, the address.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// What `index.html` hands over: the site's files by name, and the editor module.
    #[wasm_bindgen(js_namespace = rushlight, js_name = asset)]
    fn asset_url(name: &str) -> String;
    #[wasm_bindgen(js_namespace = rushlight, js_name = assetBytes)]
    fn asset_bytes_js(name: &str) -> f64;
    /// A text the shell has begun to fetch, once.
    #[wasm_bindgen(js_namespace = rushlight, js_name = take)]
    fn take_early(file: &str) -> Option<js_sys::Promise>;
    #[wasm_bindgen(js_namespace = rushlight, js_name = gpu)]
    fn gpu_js() -> js_sys::Promise;
    #[wasm_bindgen(catch, js_namespace = rushlight, js_name = worker)]
    fn worker_js() -> Result<web_sys::Worker, JsValue>;
}

/// The address of one of the site's built files.
pub fn asset(name: &str) -> String {
    asset_url(name)
}

/// Its size, not compressed; 0 where it is not known.
pub fn asset_bytes(name: &str) -> u64 {
    asset_bytes_js(name) as u64
}

/// A worker that runs Python: at first the one the shell has already begun to start. Listeners are to be put on it at once.
pub fn worker() -> Result<web_sys::Worker, JsValue> {
    worker_js()
}

/// A file's text, where the shell has begun to fetch it and it arrived.
pub async fn early(file: &str) -> Option<String> {
    wasm_bindgen_futures::JsFuture::from(take_early(file)?).await.ok()?.as_string()
}

/// The GPU this browser would give: `ok` or `software` and its name, or a word for why there is none.
pub async fn gpu() -> String {
    let answer = wasm_bindgen_futures::JsFuture::from(gpu_js()).await;
    answer.ok().and_then(|answer| answer.as_string()).unwrap_or_else(|| "adapter".to_owned())
}

/// The page's clock in milliseconds.
pub fn now() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

/// Leaves a mark in the browser's timeline, for measuring.
pub fn mark(name: &str) {
    if let Some(performance) = window().performance() {
        let _ = performance.mark(name);
    }
}

/// Kept data, where the browser keeps any for this page; in a sandboxed frame it does not.
pub fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// The hash of the address.
pub fn hash() -> String {
    window().location().hash().unwrap_or_default()
}

/// The languages the reader prefers, best first.
pub fn languages() -> Vec<String> {
    window().navigator().languages().iter().filter_map(|tag| tag.as_string()).collect()
}

/// Sets an attribute of the root element.
pub fn set_root(name: &str, value: &str) {
    if let Some(root) = document().document_element() {
        let _ = root.set_attribute(name, value);
    }
}

/// Takes the element with this id out of the page.
pub fn remove(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        element.remove();
    }
}

/// Moves the focus to the first element that matches, without scrolling unless asked.
pub fn focus(selector: &str) {
    if let Ok(Some(element)) = document().query_selector(selector)
        && let Ok(element) = element.dyn_into::<web_sys::HtmlElement>()
    {
        let _ = element.focus();
    }
}

/// What the key beside Space is called here: for shortcuts.
pub fn command_key() -> &'static str {
    let platform = window().navigator().platform().unwrap_or_default();
    if platform.starts_with("Mac") || platform.starts_with("iP") { "⌘" } else { "Ctrl" }
}
