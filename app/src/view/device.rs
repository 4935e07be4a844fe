//! The device: a chip that says where tensors can be computed, its panel with the switch, and the words under a cell.

use super::cell::Parts;
use super::dynamic::{flag, part, words};
use super::icons::icon;
use crate::gpu::{Found, size, told};
use crate::shell::{Shell, shell};
use leptos::prelude::*;
use rushlight_lessons::escape;
use rushlight_protocol::Gpu;

/// The GPU's name: what the browser tells the page, or else what the worker found.
fn name(shell: Shell) -> String {
    match shell.client.gpu.found() {
        Found::Here { name, .. } if !name.is_empty() => name,
        _ => shell.client.gpu.last.with(|last| last.as_ref().map(|used| used.name.clone())).unwrap_or_default(),
    }
}

/// The chip, and the panel it opens.
#[component]
pub fn DeviceState() -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let gpu = shell.client.gpu;
    let word = move || match (gpu.on.get(), name(shell)) {
        (false, _) => texts.get("device-cpu"),
        (true, name) if name.is_empty() => texts.get("device-gpu"),
        (true, name) => texts.with("device-gpu-named", [("name", name.into())]),
    };
    let state = move || if gpu.on.get() { "gpu" } else { "cpu" };
    let absent = move || !matches!(gpu.found(), Found::Here { .. });
    let choose = move |_| gpu.choose(shell.client, !gpu.on.get_untracked());
    view! {
        <button class="chip device-state" data-device=state popovertarget="device-pop"
            aria-label=words(move || format!("{}: {}", texts.get("device"), word())) title=texts.say("device")>
            {icon("chip")}<span class="chip-word">{words(word)}</span>
        </button>
        <div id="device-pop" class="pop" popover="auto">
            <label class="switch" hidden=flag(absent)>
                <input id="gpu-switch" type="checkbox" role="switch" prop:checked=move || gpu.on.get() on:change=choose/>
                <span>{texts.say("gpu-use")}</span>
            </label>
            {part(move || view! { <div inner_html=detail(shell)></div> })}
        </div>
    }
}

/// What the panel tells, as HTML.
fn detail(shell: Shell) -> String {
    let texts = shell.texts;
    let gpu = shell.client.gpu;
    let mut html = String::new();
    let mut add =
        |before: &str, text: &str, after: &str| html = std::mem::take(&mut html) + before + &escape(text) + after;
    match gpu.found() {
        Found::Here { name, software } => {
            if !name.is_empty() {
                add("<p class=\"pop-title\">", &name, "</p>");
            }
            if software {
                add("<p class=\"pop-note\">", &texts.get("gpu-software"), "</p>");
            }
            add("<p class=\"quiet\">", &texts.get("gpu-how"), "</p>");
        }
        found => {
            if let Found::Absent(key) = found {
                add("<p>", &texts.get(key), "</p>");
            }
            add("<p class=\"quiet\">", &texts.get("device-cpu-detail"), "</p>");
        }
    }
    gpu.last.with(|last| {
        let Some(used) = last else { return };
        let kept = used.reserved.saturating_sub(used.live);
        let mut facts = told(texts, used);
        facts.push(texts.with("gpu-memory", [("live", size(used.live).into()), ("kept", size(kept).into())]));
        facts.push(texts.with("gpu-largest", [("size", size(used.max_buffer).into())]));
        add("<p class=\"pop-title\">", &texts.get("gpu-last"), "</p><ul class=\"pop-facts\">");
        for fact in facts {
            add("<li>", &fact, "</li>");
        }
        add("", "", "</ul>");
    });
    html
}

/// The quiet line under a cell's output.
#[component]
pub fn RunLine(parts: Parts) -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let line = Memo::new(move |_| {
        parts.run.with(|run| match &run.gpu {
            None => String::new(),
            Some(Gpu::Used(used)) => format!("{}: {}", texts.get("device-gpu"), told(texts, used).join(" · ")),
            // The page says it in the learner's language, where it knows.
            Some(Gpu::Absent { reason }) => {
                let known = shell.client.gpu.reason(texts);
                known.unwrap_or_else(|| texts.with("gpu-absent", [("reason", reason.as_str().into())]))
            }
        })
    });
    view! {
        <p class="cell-silent cell-gpu" hidden=flag(move || line.with(|line| line.is_empty()))>{words(move || line.get())}</p>
    }
}

/// Above a cell that is made for a GPU, when it will not have one.
#[component]
pub fn CellNote() -> impl IntoView {
    let shell = shell();
    let gpu = shell.client.gpu;
    let note = move || match gpu.found() {
        Found::Absent(_) => shell.texts.get("gpu-cell-none"),
        Found::Here { .. } if !gpu.on.get() => shell.texts.get("gpu-cell-off"),
        _ => String::new(),
    };
    view! { <p class="cell-silent cell-device" hidden=flag(move || note().is_empty())>{words(note)}</p> }
}
