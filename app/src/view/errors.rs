//! An error: what it means in plain words first, then what Python says, then the whole traceback on demand.

use super::cell::Parts;
use super::dynamic::{maybe, press, words};
use crate::shell::shell;
use crate::texts::Texts;
use leptos::prelude::*;
use rushlight_protocol::PythonError;

/// The uncaught exception of the last run.
#[component]
pub fn Error(parts: Parts) -> impl IntoView {
    let texts = shell().texts;
    let error = Memo::new(move |_| parts.run.with(|run| run.error.clone()));
    view! {
        <div role="alert">
            {maybe(move || error.get().map(|error| {
                let why = explanation(texts, &error);
                let last = if error.message.is_empty() {
                    error.class.clone()
                } else {
                    format!("{}: {}", error.class, error.message)
                };
                let trace = error.traceback.clone();
                view! {
                    <div class="cell-error">
                        {why.map(|why| view! { <p class="error-why">{why}</p> })}
                        <pre class="error-last" tabindex="0">{last}</pre>
                        <div class="error-more">
                            {error.line.map(|line| view! { <GoTo parts line/> })}
                            {(!trace.trim().is_empty()).then(|| view! {
                                <details>
                                    <summary>{texts.get("error-trace")}</summary>
                                    <pre class="error-trace" tabindex="0">{trace}</pre>
                                </details>
                            })}
                        </div>
                    </div>
                }
            }))}
        </div>
    }
}

/// Puts the cursor where the error points.
#[component]
fn GoTo(parts: Parts, line: u32) -> impl IntoView {
    let texts = shell().texts;
    let go = move || {
        parts.editor.with_value(|editor| {
            if let Some(mounted) = editor {
                mounted.editor.show(line);
            }
        });
    };
    view! {
        <button class="link-button error-go" on:click=press(go)>
            {words(move || texts.with("error-go", [("line", (line as usize).into())]))}
        </button>
    }
}

/// The plain words for an error: by the runtime's key, else by the class.
fn explanation(texts: Texts, error: &PythonError) -> Option<String> {
    let by_key = error.key.as_ref().and_then(|key| texts.find(&format!("why-{key}"), None));
    by_key.or_else(|| texts.find(&format!("why-{}", class_key(&error.class)?), None))
}

/// What is always true of an error of this class.
fn class_key(class: &str) -> Option<&'static str> {
    Some(match class {
        "NameError" => "name",
        "UnboundLocalError" => "unbound-local",
        "SyntaxError" => "syntax",
        "IndentationError" | "TabError" => "indentation",
        "TypeError" => "type",
        "AttributeError" => "attribute",
        "IndexError" => "index",
        "KeyError" => "key",
        "ZeroDivisionError" => "zero-division",
        "ImportError" | "ModuleNotFoundError" => "import",
        "RecursionError" => "recursion",
        "AssertionError" => "assertion",
        "FileNotFoundError" => "file-not-found",
        "MemoryError" => "allocation",
        "NotImplementedError" => "not-here",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::Locale;

    #[test]
    fn every_class_with_a_key_has_words_in_every_language() {
        let classes = [
            "NameError",
            "UnboundLocalError",
            "SyntaxError",
            "IndentationError",
            "TabError",
            "TypeError",
            "AttributeError",
            "IndexError",
            "KeyError",
            "ZeroDivisionError",
            "ImportError",
            "ModuleNotFoundError",
            "RecursionError",
            "AssertionError",
            "FileNotFoundError",
            "MemoryError",
            "NotImplementedError",
        ];
        for class in classes {
            let key = class_key(class).unwrap_or_else(|| panic!("{class} has no key"));
            for locale in Locale::ALL {
                locale.supply(locale.source().to_owned());
                assert!(locale.text(&format!("why-{key}"), None).is_some(), "{key} in {}", locale.tag());
            }
        }
        assert_eq!(class_key("RuntimeError"), None, "says too little by itself");
    }
}
