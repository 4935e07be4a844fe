//! Help with an exercise: hints one at a time, and the solution on demand, which asks first when nothing was tried.

use super::cell::Parts;
use super::dynamic::{maybe, press, words};
use super::icons::icon;
use crate::editor::highlight_python;
use crate::shell::shell;
use crate::work::CellWork;
use leptos::prelude::*;

#[component]
pub fn Help(parts: Parts) -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let work = Memo::new(move |_| {
        let key = parts.key.get_value();
        shell.store.lesson(&key.session, |work| work.cells.get(&key.cell).cloned().unwrap_or_default())
    });
    let hints = parts.cell.with_value(|cell| cell.hints.clone());
    let total = hints.len();
    let hints = StoredValue::new(hints);
    let open = Memo::new(move |_| work.with(|work| work.hints.min(total)));
    let next_hint = move || parts.keep(|work: &mut CellWork| work.hints = (work.hints + 1).min(total));
    let shown = move || {
        hints.with_value(|hints| {
            let rows = hints.iter().take(open.get()).enumerate().map(|(index, hint)| {
                let heading = texts.with("hint-number", [("number", (index + 1).into()), ("total", total.into())]);
                view! { <li class="cell-hint-text"><b>{heading}</b><div inner_html=hint.html.clone()></div></li> }
            });
            rows.collect_view()
        })
    };

    // The solution is shown for this visit only: coming back, the learner starts with a clear mind.
    let solution_open = RwSignal::new(false);
    let asking = RwSignal::new(false);
    let solution = parts.cell.with_value(|cell| cell.solution.clone());
    let has_solution = solution.is_some();
    let solution = StoredValue::new(solution.map(|code| code.text.trim_end().to_owned()).unwrap_or_default());
    let show_solution = move || {
        asking.set(false);
        solution_open.set(true);
        parts.keep(|work| work.solution = true);
    };
    let toggle = move || {
        if solution_open.get_untracked() {
            solution_open.set(false);
        } else if work.with_untracked(|work| work.tried || work.passed || work.solution) {
            show_solution();
        } else {
            asking.set(true);
        }
    };
    view! {
        <footer class="cell-help">
            <div aria-live="polite">
                {maybe(move || (open.get() > 0).then(|| view! { <ol class="hints">{shown()}</ol> }))}
            </div>
            <div class="row">
                {maybe(move || (open.get() < total).then(|| view! {
                    <button class="button quiet-button cell-hint" on:click=press(next_hint)>
                        {icon("hint")}
                        <span>{words(move || texts.get(if open.get() == 0 { "hint-first" } else { "hint-next" }))}</span>
                    </button>
                }))}
                {has_solution.then(|| view! {
                    <button class="button quiet-button cell-solution" on:click=press(toggle)
                        aria-expanded=words(move || solution_open.get().to_string())>
                        {icon("key")}
                        <span>{words(move || texts.get(if solution_open.get() { "solution-hide" } else { "solution-show" }))}</span>
                    </button>
                })}
            </div>
            {maybe(move || asking.get().then(|| view! {
                <div class="cell-ask" role="group" aria-label=texts.get("solution")>
                    <p>{texts.get("solution-ask")}</p>
                    <div class="row">
                        <button class="button" on:click=press(move || asking.set(false))>{texts.get("solution-later")}</button>
                        <button class="button cell-solution-anyway" on:click=press(show_solution)>{texts.get("solution-anyway")}</button>
                    </div>
                </div>
            }))}
            {maybe(move || solution_open.get().then(|| {
                let html = solution.with_value(|code| highlight_python(code));
                let copy = move || parts.replace(&solution.get_value(), "copied-solution");
                view! {
                    <div class="cell-solution-text">
                        <pre tabindex="0" aria-label=texts.get("solution")><code inner_html=html></code></pre>
                        <button class="button" on:click=press(copy)>{texts.get("solution-copy")}</button>
                    </div>
                }
            }))}
        </footer>
    }
}
