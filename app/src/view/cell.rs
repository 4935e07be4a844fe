//! A cell: its head with kind, state and buttons, the editor, and below them what the run gave and what helps.

use super::dynamic::{effect, flag, maybe, press, words};
use super::icons::icon;
use super::{device, errors, help, names, result};
use crate::editor::{Mounted, On, highlight_python};
use crate::run::{CellKey, CellRun, Job, Phase};
use crate::shell::{seconds, shell};
use crate::store::Store;
use leptos::html::{Button, Div};
use leptos::prelude::*;
use rushlight_lessons::{Cell, CellKind, Code};
use rushlight_protocol::Source;

/// What the parts of one cell share.
#[derive(Clone, Copy)]
pub struct Parts {
    store: Store,
    pub key: StoredValue<CellKey>,
    pub cell: StoredValue<Cell>,
    pub run: RwSignal<CellRun>,
    /// The learner's text.
    pub text: RwSignal<String>,
    pub editor: StoredValue<Option<Mounted>, LocalStorage>,
    /// What was done to the text just now, and how to take it back.
    pub changed: RwSignal<Option<Changed>>,
}

/// A change to the text that was not typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Key of the sentence that says so.
    pub what: &'static str,
    pub before: String,
}

impl Parts {
    /// Replaces the text and offers to undo that.
    pub fn replace(self, text: &str, what: &'static str) {
        let before = self.text.get_untracked();
        if before == text {
            return;
        }
        self.put(text);
        self.changed.set(Some(Changed { what, before: before.clone() }));
        self.keep(move |work| work.before_reset = Some(before));
    }

    /// Puts a text into the editor, which then tells of it as of any change.
    pub fn put(self, text: &str) {
        self.editor.with_value(|editor| {
            if let Some(mounted) = editor {
                mounted.editor.set_text(text);
            }
        });
    }

    pub fn keep(self, change: impl FnOnce(&mut crate::work::CellWork)) {
        let key = self.key.get_value();
        self.store.change(&key.session, &key.cell, change);
    }

    fn job(self) -> Job {
        let source = self.text.get_untracked();
        self.cell.with_value(|cell| {
            let mut before: Vec<Source> = cell
                .setup
                .iter()
                .map(|setup| Source {
                    file: format!("setup-{}.py", setup.id),
                    text: setup.code.text.clone(),
                    given: false,
                })
                .collect();
            before.extend(cell.given.as_ref().map(|given| Source {
                file: format!("given-{}.py", cell.id),
                text: given.text.clone(),
                given: true,
            }));
            let check = cell.check.as_ref().map(|check| Source {
                file: format!("check-{}.py", cell.id),
                text: check.text.clone(),
                given: false,
            });
            Job { key: self.key.get_value(), file: cell.file(), before, source, check }
        })
    }
}

#[component]
pub fn CellView(session: String, cell: Cell, number: usize) -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let client = shell.client;
    let key = CellKey { session, cell: cell.id.clone() };
    let work = shell.store.cell(&key.session, &key.cell);
    let starter = StoredValue::new(cell.starter.text.trim_end_matches('\n').to_owned());
    let exercise = cell.kind == CellKind::Exercise;
    let given = cell.given.clone();
    let for_gpu = cell.gpu;
    let id = cell.id.clone();
    let parts = Parts {
        store: shell.store,
        run: RwSignal::from(client.cell(&key)),
        text: RwSignal::new(work.text.unwrap_or_else(|| starter.get_value())),
        editor: StoredValue::new_local(None),
        changed: RwSignal::new(None),
        key: StoredValue::new(key),
        cell: StoredValue::new(cell),
    };
    let phase = Memo::new(move |_| parts.run.with(|run| run.phase));
    let edited = Memo::new(move |_| parts.text.with(|text| starter.with_value(|starter| text != starter)));
    let kind = move || texts.get(if exercise { "exercise" } else { "example" });
    let label = move || texts.with("cell-label", [("kind", kind().into()), ("number", number.into())]);
    let active =
        Memo::new(move |_| parts.key.with_value(|key| shell.active.with(|active| active.as_ref() == Some(key))));
    let use_it = move || {
        if !active.get_untracked() {
            shell.active.set(Some(parts.key.get_value()));
        }
    };
    let start = move || {
        use_it();
        parts.changed.set(None);
        parts.keep(|work| work.tried = true);
        client.run(parts.job());
    };
    let stop = move || client.stop(&parts.key.get_value());
    let reset = move || parts.replace(&starter.get_value(), "reset-done");

    follow_run(parts, phase);
    let holder = NodeRef::<Div>::new();
    let run_button = NodeRef::<Button>::new();
    let editor_label = move || texts.with("editor-label", [("kind", kind().into()), ("number", number.into())]);
    effect(move || {
        let Some(holder) = holder.get() else { return };
        let on = On {
            change: Box::new(move |text: String| {
                let own = starter.with_value(|starter| (text != *starter).then(|| text.clone()));
                parts.text.set(text);
                parts.keep(|work| work.text = own);
            }),
            run: Box::new(start),
            leave: Box::new(move || {
                if let Some(button) = run_button.get_untracked() {
                    let _ = button.focus();
                }
            }),
            focus: Box::new(use_it),
        };
        let label = untrack(editor_label);
        let mounted = Mounted::new(&holder, &parts.text.get_untracked(), &label, on);
        parts.editor.set_value(Some(mounted));
    });
    on_cleanup(move || parts.editor.set_value(None));

    let state = move || {
        state_name(phase.get(), exercise, parts.run.with(CellRun::passed), parts.run.with(|run| run.checks.len()))
    };
    let busy = move || phase.get().busy();
    let run_label = move || texts.get(if exercise { "run-check" } else { "run" });
    view! {
        <section class="cell" id=format!("cell-{id}") data-cell=id data-kind=if exercise { "exercise" } else { "example" }
            data-state=state data-active=words(move || active.get().to_string()) aria-label=words(label)
            on:click=press(use_it) on:focusin=move |_| use_it()>
            <header class="cell-head">
                <span class="cell-kind">{words(label)}</span>
                <State parts exercise/>
                <div class="cell-tools">
                    <button class="button quiet-button cell-reset" disabled=flag(move || !edited.get())
                        title=texts.say("reset-detail") on:click=press(reset)>
                        {icon("reset")}<span>{texts.say("reset")}</span>
                    </button>
                    <button class="button cell-stop" hidden=flag(move || !busy())
                        disabled=flag(move || phase.get() == Phase::Stopping) on:click=press(stop)>
                        {icon("stop")}<span>{texts.say("stop")}</span>
                    </button>
                    <button class="button strong cell-run" node_ref=run_button hidden=flag(busy)
                        title=format!("{}+Enter", crate::browser::command_key()) on:click=press(start)>
                        {icon("run")}<span>{words(run_label)}</span>
                    </button>
                </div>
            </header>
            {for_gpu.then(|| view! { <device::CellNote/> })}
            {given.map(|given| view! { <Given given/> })}
            <div class="cell-editor" node_ref=holder></div>
            <TextChanged parts/>
            <result::Output parts/>
            <errors::Error parts/>
            <result::EndNotice parts/>
            <device::RunLine parts/>
            {exercise.then(|| view! { <result::Checks parts/> <help::Help parts/> })}
            {maybe(move || active.get().then(|| view! { <NamesSheet/> }))}
        </section>
    }
}

/// Keeps what a run achieved, and marks the line an error points at.
fn follow_run(parts: Parts, phase: Memo<Phase>) {
    effect(move || {
        if parts.run.with(CellRun::passed) {
            parts.keep(|work| work.passed = true);
        }
    });
    let failing = Memo::new(move |_| {
        phase.track();
        parts.run.with(|run| {
            let error = run.error.as_ref()?;
            let line = error.line?;
            let (from, to) = error.columns.unwrap_or((0, 0));
            Some((run.finished, line, from, to))
        })
    });
    effect(move || {
        let mark = failing.get();
        parts.editor.with_value(|editor| {
            if let Some(mounted) = editor {
                let (_, line, from, to) = mark.unwrap_or_default();
                mounted.editor.mark(line, from, to);
            }
        });
    });
    let seen = StoredValue::new(false);
    effect(move || {
        let printed = parts.run.with(|run| !run.transcript.is_empty());
        if printed && !seen.get_value() {
            seen.set_value(true);
            crate::browser::mark("rushlight:first-output");
        }
    });
}

fn state_name(phase: Phase, exercise: bool, passed: bool, checks: usize) -> &'static str {
    match phase {
        Phase::Idle => "idle",
        Phase::Waiting => "waiting",
        Phase::Running | Phase::Stopping => "running",
        Phase::Failed => "failed",
        Phase::Stopped => "stopped",
        Phase::Done if exercise && passed => "passed",
        Phase::Done if exercise && checks > 0 => "unpassed",
        Phase::Done => "done",
    }
}

/// The state in the head: seen with seconds, spoken without.
#[component]
fn State(parts: Parts, exercise: bool) -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let passed_before = move || {
        let key = parts.key.get_value();
        shell.store.lesson(&key.session, |work| work.cells.get(&key.cell).is_some_and(|cell| cell.passed))
    };
    let calm = Memo::new(move |_| {
        parts.run.with(|run| match run.phase {
            Phase::Idle if exercise && passed_before() => texts.get("state-passed"),
            Phase::Idle => String::new(),
            Phase::Waiting if shell.client.running.with(Option::is_some) => texts.get("state-waiting-turn"),
            Phase::Waiting => texts.get("state-waiting"),
            Phase::Running => texts.get("state-running"),
            Phase::Stopping => texts.get("state-stopping"),
            Phase::Failed => texts.get("state-failed"),
            Phase::Stopped => texts.get("state-stopped"),
            Phase::Done if run.passed() => texts.get("state-passed"),
            Phase::Done if exercise && !run.checks.is_empty() => {
                let passed = run.checks.iter().filter(|check| check.passed).count();
                texts.with("state-unpassed", [("passed", passed.into()), ("total", run.checks.len().into())])
            }
            Phase::Done => texts.with("state-done", [("seconds", seconds(run.seconds).into())]),
        })
    });
    let seen = move || {
        let started = parts.run.with(|run| (run.phase == Phase::Running).then_some(run.started).flatten());
        match started {
            // A moment's run should not flash a counter.
            Some(started) if shell.clock.get() - started >= 1000.0 => {
                let elapsed = ((shell.clock.get() - started) / 1000.0).floor() as usize;
                texts.with("state-running-seconds", [("seconds", elapsed.into())])
            }
            _ => calm.get(),
        }
    };
    let tone = move || {
        parts.run.with(|run| match run.phase {
            Phase::Idle if exercise && passed_before() => "good",
            Phase::Done if run.passed() => "good",
            Phase::Failed => "bad",
            _ if run.phase.busy() => "busy",
            _ => "calm",
        })
    };
    view! {
        <span class="cell-state" data-tone=tone aria-hidden="true">
            {maybe(move || (tone() == "good").then(|| icon("check")))}
            {words(seen)}
        </span>
        <span class="visually-hidden" role="status">{words(move || calm.get())}</span>
    }
}

/// The inputs of an exercise.
#[component]
fn Given(given: Code) -> impl IntoView {
    let texts = shell().texts;
    let html = highlight_python(given.text.trim_end());
    view! {
        <div class="cell-given">
            <p><b>{texts.say("given")}</b>", "{texts.say("given-detail")}</p>
            <pre tabindex="0" aria-label=texts.say("given")><code inner_html=html></code></pre>
        </div>
    }
}

/// Says what happened to the text, and takes it back.
#[component]
fn TextChanged(parts: Parts) -> impl IntoView {
    let texts = shell().texts;
    view! {
        <div role="status">
            {maybe(move || parts.changed.get().map(|changed| {
                let undo = move || {
                    parts.put(&changed.before);
                    parts.changed.set(None);
                };
                view! {
                    <p class="cell-changed">
                        {texts.get(changed.what)}
                        <button class="link-button" on:click=press(undo)>{texts.get("undo")}</button>
                    </p>
                }
            }))}
        </div>
    }
}

/// Where the window has no room for a rail, the names stand under the cell in use.
#[component]
fn NamesSheet() -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let count = Memo::new(move |_| names::current(shell.client, shell.active.get().as_ref()).len());
    maybe(move || {
        (count.get() > 0).then(|| {
            view! {
                <details class="cell-names">
                    <summary>{words(move || texts.with("names-count", [("count", count.get().into())]))}</summary>
                    <names::Names/>
                </details>
            }
        })
    })
}
