//! The editor of a cell, as the bundle `static/editor` offers it.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// A live editor.
    pub type Editor;

    #[wasm_bindgen(js_namespace = ["rushlight", "editor"], js_name = createEditor)]
    fn create_editor(parent: &web_sys::Element, text: &str, label: &str, read_only: bool, on: &JsValue) -> Editor;

    #[wasm_bindgen(js_namespace = ["rushlight", "editor"], js_name = highlightPython)]
    pub fn highlight_python(code: &str) -> String;

    #[wasm_bindgen(method)]
    pub fn text(this: &Editor) -> String;
    #[wasm_bindgen(method, js_name = setText)]
    pub fn set_text(this: &Editor, text: &str);
    #[wasm_bindgen(method)]
    pub fn mark(this: &Editor, line: u32, from: u32, to: u32);
    #[wasm_bindgen(method)]
    pub fn show(this: &Editor, line: u32);
    #[wasm_bindgen(method)]
    pub fn focus(this: &Editor);
    #[wasm_bindgen(method)]
    fn destroy(this: &Editor);
}

/// What an editor tells its cell.
pub struct On {
    pub change: Box<dyn Fn(String)>,
    pub run: Box<dyn Fn()>,
    pub leave: Box<dyn Fn()>,
    pub focus: Box<dyn Fn()>,
}

/// An editor together with the functions it calls; gone when dropped.
pub struct Mounted {
    pub editor: Editor,
    _change: Closure<dyn Fn(String)>,
    _calls: [Closure<dyn Fn()>; 3],
}

impl Mounted {
    /// Puts an editor into `parent`.
    pub fn new(parent: &web_sys::Element, text: &str, label: &str, on: On) -> Self {
        let change = Closure::wrap(on.change);
        let calls = [Closure::wrap(on.run), Closure::wrap(on.leave), Closure::wrap(on.focus)];
        let handlers = js_sys::Object::new();
        let functions = [("run", &calls[0]), ("leave", &calls[1]), ("focus", &calls[2])];
        let _ = js_sys::Reflect::set(&handlers, &"change".into(), change.as_ref());
        for (name, function) in functions {
            let _ = js_sys::Reflect::set(&handlers, &name.into(), function.as_ref());
        }
        let editor = create_editor(parent, text, label, false, &handlers);
        Self { editor, _change: change, _calls: calls }
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        self.editor.destroy();
    }
}
