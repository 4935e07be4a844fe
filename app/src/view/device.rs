//! The device: a chip that says where tensors can be computed, its panel with the switch, and the words under a cell.

use super::cell::Parts;
use super::dynamic::{maybe, part, words};
use super::icons::icon;
use crate::gpu::{Found, size, told};
use crate::shell::{Shell, shell};
use leptos::prelude::*;
use rushlight_protocol::{Gpu, GpuUse};

/// The GPU's name: what the browser tells the page, or else what the worker found.
fn name(shell: Shell) -> String {
    let found = shell.client.gpu.found.get();
    match found {
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
    view! {
        <button class="chip device-state" data-device=state popovertarget="device-pop"
            aria-label=words(move || format!("{}: {}", texts.get("device"), word())) title=texts.say("device")>
            {icon("chip")}<span class="chip-word">{words(word)}</span>
        </button>
        <div id="device-pop" class="pop" popover="auto">
            {part(move || match gpu.found.get() {
                Found::Here { software, .. } => view! { <Choice software/> }.into_any(),
                Found::Absent(key) => {
                    view! { <p class="gpu-reason">{texts.get(key)}</p><p class="quiet">{texts.get("device-cpu-detail")}</p> }
                        .into_any()
                }
                Found::Pending => view! { <p>{texts.get("device-cpu-detail")}</p> }.into_any(),
            })}
            {maybe(move || gpu.last.get().map(|used| view! { <Used used/> }))}
        </div>
    }
}

/// The switch.
#[component]
fn Choice(software: bool) -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let gpu = shell.client.gpu;
    view! {
        {maybe(move || Some(name(shell)).filter(|name| !name.is_empty()).map(|name| view! { <p class="pop-title">{name}</p> }))}
        <label class="switch">
            <input id="gpu-switch" type="checkbox" role="switch" prop:checked=move || gpu.on.get()
                on:change=move |event| gpu.choose(shell.client, event_target_checked(&event))/>
            <span>{texts.say("gpu-use")}</span>
        </label>
        {software.then(|| view! { <p class="pop-note">{texts.say("gpu-software")}</p> })}
        <p class="quiet">{texts.say("gpu-how")}</p>
    }
}

/// What the last run did there.
#[component]
fn Used(used: GpuUse) -> impl IntoView {
    let texts = shell().texts;
    let memory = [("live", size(used.live).into()), ("kept", size(used.reserved.saturating_sub(used.live)).into())];
    let facts = [texts.with("gpu-memory", memory), texts.with("gpu-largest", [("size", size(used.max_buffer).into())])];
    view! {
        <p class="pop-title">{texts.get("gpu-last")}</p>
        <ul class="pop-facts gpu-facts">
            {told(texts, &used).into_iter().chain(facts).map(|fact| view! { <li>{fact}</li> }).collect_view()}
        </ul>
    }
}

/// The quiet line under a cell's output.
#[component]
pub fn RunLine(parts: Parts) -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let gpu = Memo::new(move |_| parts.run.with(|run| run.gpu.clone()));
    let line = move || match gpu.get()? {
        Gpu::Used(used) => Some(format!("{}: {}", texts.get("device-gpu"), told(texts, &used).join(" · "))),
        // The page says it in the learner's language, where it knows.
        Gpu::Absent { reason } => Some(
            shell.client.gpu.reason(texts).unwrap_or_else(|| texts.with("gpu-absent", [("reason", reason.into())])),
        ),
    };
    maybe(move || line().map(|line| view! { <p class="cell-silent cell-gpu">{line}</p> }))
}

/// Above a cell that is made for a GPU, when it will not have one.
#[component]
pub fn CellNote() -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let gpu = shell.client.gpu;
    maybe(move || {
        let key = match gpu.found.get() {
            Found::Absent(_) => "gpu-cell-none",
            Found::Here { .. } if !gpu.on.get() => "gpu-cell-off",
            _ => return None,
        };
        Some(view! { <p class="cell-silent cell-device">{texts.get(key)}</p> })
    })
}
