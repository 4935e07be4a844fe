//! Closures of one type each. Leptos compiles its machinery anew for every closure type it meets; boxed into these few
//! types, the page's wasm is a good deal smaller.

use leptos::prelude::*;

/// A text that follows what it reads.
pub type Words = Box<dyn FnMut() -> String + Send>;
/// A part of the page that follows what it reads.
pub type Part = Box<dyn FnMut() -> AnyView + Send>;
/// A yes or no that follows what it reads.
pub type Flag = Box<dyn FnMut() -> bool + Send>;
/// What a button does.
pub type Press = Box<dyn FnMut(web_sys::MouseEvent)>;

pub fn words(read: impl FnMut() -> String + Send + 'static) -> Words {
    Box::new(read)
}

pub fn part<V: IntoAny>(mut draw: impl FnMut() -> V + Send + 'static) -> Part {
    Box::new(move || draw().into_any())
}

/// A part that is not always there.
pub fn maybe<V: IntoAny>(mut draw: impl FnMut() -> Option<V> + Send + 'static) -> Part {
    Box::new(move || draw().map_or_else(|| ().into_any(), IntoAny::into_any))
}

pub fn flag(read: impl FnMut() -> bool + Send + 'static) -> Flag {
    Box::new(read)
}

pub fn press(mut act: impl FnMut() + 'static) -> Press {
    Box::new(move |_| act())
}

/// Runs `act` at once and whenever something it reads changes.
pub fn effect(act: impl FnMut() + 'static) {
    fn run(mut act: Box<dyn FnMut()>) {
        Effect::new(move |_| act());
    }
    run(Box::new(act));
}
