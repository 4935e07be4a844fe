//! The inspector: the names the cell in use has defined, with what a learner wants to know of a tensor.

use super::dynamic::{flag, maybe, part, press, words};
use crate::run::{CellKey, Status};
use crate::shell::shell;
use leptos::prelude::*;
use rushlight_protocol::{Name, TensorInfo};

/// The rail at the right; narrow, the names stand under the cell instead.
#[component]
pub fn Rail() -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let in_lesson = move || shell.route.with(|route| *route != crate::route::Route::Home);
    view! {
        <aside class="rail" aria-label=texts.say("names")>
            {maybe(move || in_lesson().then(|| view! { <div class="rail-inner"><Names/></div> }))}
        </aside>
    }
}

/// The names of the cell in use: an exercise's own, else those its lesson's cells share.
pub fn current(client: crate::run::Client, active: Option<&CellKey>) -> Vec<Name> {
    let Some(key) = active else { return Vec::new() };
    client
        .names
        .with(|all| all.get(key).or_else(|| all.get(&CellKey::session(&key.session))).cloned().unwrap_or_default())
}

#[component]
pub fn Names() -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let names = Memo::new(move |_| current(shell.client, shell.active.get().as_ref()));
    let idle = move || {
        shell.client.status.with(|status| *status == Status::Ready) && shell.client.running.with(Option::is_none)
    };
    let forget = move || {
        if let Some(key) = shell.active.get_untracked() {
            shell.client.forget(&key.session);
        }
    };
    view! {
        <header class="names-head">
            <h2>{texts.say("names")}</h2>
            {maybe(move || (!names.with(Vec::is_empty)).then(|| view! {
                <button class="link-button" disabled=flag(move || !idle()) on:click=press(forget)
                    title=texts.say("names-forget-detail")>{texts.say("names-forget")}</button>
            }))}
        </header>
        {part(move || {
            let names = names.get();
            if names.is_empty() {
                return view! { <p class="quiet">{texts.get("names-empty")}</p> }.into_any();
            }
            let rows = names.iter().map(|name| row(name, &names)).collect_view();
            view! { <ul class="names">{rows}</ul> }.into_any()
        })}
    }
}

/// One name. A tensor opens to show its layout.
fn row(name: &Name, all: &[Name]) -> impl IntoView + use<> {
    let label = name.name.clone();
    match &name.tensor {
        None => view! {
            <li class="name">
                <div class="name-line">
                    <code class="name-name">{label}</code>
                    <span class="name-class">{name.class.clone()}</span>
                </div>
                <code class="name-preview">{name.preview.clone()}</code>
            </li>
        }
        .into_any(),
        Some(tensor) => {
            let shared: Vec<String> = all
                .iter()
                .filter(|other| other.name != name.name)
                .filter(|other| other.tensor.as_ref().is_some_and(|other| other.storage == tensor.storage))
                .map(|other| other.name.clone())
                .collect();
            let preview = name.preview.clone();
            view! {
                <li class="name tensor">
                    <details>
                        <summary>
                            <code class="name-name">{label}</code>
                            {shape(tensor)}
                            <span class="name-class">{short(&tensor.dtype)}</span>
                            {gradient(tensor)}
                        </summary>
                        {layout(tensor, shared)}
                    </details>
                    <code class="name-preview">{preview}</code>
                </li>
            }
            .into_any()
        }
    }
}

fn short(dtype: &str) -> String {
    dtype.trim_start_matches("torch.").to_owned()
}

fn list<T: ToString>(values: &[T]) -> String {
    let inner: Vec<String> = values.iter().map(ToString::to_string).collect();
    match inner.as_slice() {
        [one] => format!("({one},)"),
        many => format!("({})", many.join(", ")),
    }
}

/// The shape, each size in its own box: what two tensors are compared by.
fn shape(tensor: &TensorInfo) -> impl IntoView + use<> {
    let texts = shell().texts;
    if tensor.shape.is_empty() {
        return view! { <span class="shape scalar">{texts.say("name-scalar")}</span> }.into_any();
    }
    let sizes = tensor.shape.iter().map(|size| view! { <b>{size.to_string()}</b> }).collect_view();
    view! { <span class="shape" role="img" aria-label=list(&tensor.shape)>{sizes}</span> }.into_any()
}

/// Blue is backward: a tensor that takes part in gradients says so.
fn gradient(tensor: &TensorInfo) -> impl IntoView + use<> {
    let texts = shell().texts;
    tensor.requires_grad.then(|| view! { <span class="name-grad">{texts.say("name-gradient")}</span> })
}

fn layout(tensor: &TensorInfo, shared: Vec<String>) -> impl IntoView + use<> {
    let texts = shell().texts;
    let strides = list(&tensor.strides);
    let offset = tensor.offset.to_string();
    let version = tensor.version as usize;
    let made_by = match (&tensor.grad_fn, tensor.requires_grad) {
        (Some(node), _) => Some(view! { <code>{node.clone()}</code> }.into_any()),
        (None, true) => Some(view! { <span>{texts.say("name-leaf")}</span> }.into_any()),
        (None, false) => None,
    };
    let memory = move || {
        if shared.is_empty() {
            texts.get("name-own")
        } else {
            texts.with("name-shares", [("names", shared.join(", ").into())])
        }
    };
    view! {
        <dl class="layout">
            <div><dt>{texts.say("name-strides")}</dt><dd><code>{strides}</code></dd></div>
            <div><dt>{texts.say("name-offset")}</dt><dd><code>{offset}</code></dd></div>
            <div><dt>{texts.say("name-storage")}</dt><dd>{words(memory)}</dd></div>
            <div><dt>{texts.say("name-version")}</dt>
                <dd>{words(move || texts.with("name-writes", [("count", version.into())]))}</dd></div>
            {made_by.map(|made_by| view! { <div><dt>{texts.say("name-history")}</dt><dd>{made_by}</dd></div> })}
        </dl>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_as_python_writes_tuples() {
        assert_eq!(list::<u64>(&[]), "()");
        assert_eq!(list(&[3]), "(3,)");
        assert_eq!(list(&[3, 1]), "(3, 1)");
        assert_eq!(short("torch.float32"), "float32");
    }
}
