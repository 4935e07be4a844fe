//! A lesson: its prose and cells from top to bottom, and the way on.

use super::dynamic::{effect, maybe, part, words};
use super::icons::icon;
use super::{cell, fault, runtime};
use crate::browser;
use crate::editor::highlight_python;
use crate::library::{self, Entry, Load};
use crate::run::CellKey;
use crate::shell::shell;
use crate::work::LessonWork;
use leptos::html::Article as ArticleElement;
use leptos::prelude::*;
use rushlight_lessons::{Block, CellKind, Lesson};
use std::sync::Arc;
use wasm_bindgen::JsCast;

/// Fetches and shows one lesson; follows the language.
#[component]
pub fn LessonPage(entry: Entry, id: String) -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let state = RwSignal::new(Load::Pending);
    let place = StoredValue::new((entry, id));
    let fetch = move || {
        let wanted = texts.locale.get().tag();
        let (entry, id) = place.get_value();
        leptos::task::spawn_local(async move {
            let loaded = match library::lesson(&entry, &id, wanted).await {
                Ok(loaded) => Load::Ready(loaded),
                Err(fault) => Load::Failed(fault),
            };
            // Gone, when the learner has moved on meanwhile.
            if state.try_with_untracked(|shown| *shown != loaded) == Some(true) {
                state.set(loaded);
            }
        });
    };
    effect(fetch);
    part(move || match state.get() {
        Load::Pending => view! { <fault::Waiting/> }.into_any(),
        Load::Failed(fault) => {
            // The reader waits for the lesson; the runtime may come meanwhile.
            shell.client.start();
            view! { <fault::Panel fault retry=fetch/> }.into_any()
        }
        Load::Ready((lesson, language)) => {
            let (entry, id) = place.get_value();
            view! { <Article entry id lesson language/> }.into_any()
        }
    })
}

#[component]
fn Article(entry: Entry, id: String, lesson: Arc<Lesson>, language: String) -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let session = format!("{}/{id}", entry.id);
    let at = entry.course.lessons.iter().position(|each| each.id == id).unwrap_or(0);
    let reference = entry.course.lessons.get(at).cloned();
    let title = reference.as_ref().map(|each| each.title.get(&language).to_owned()).unwrap_or_default();
    let minutes = reference.and_then(|each| each.minutes);
    shell.store.set_exercises(&session, lesson.exercises().count());
    shell.active.set(lesson.cells().next().map(|cell| CellKey { session: session.clone(), cell: cell.id.clone() }));

    let page_title = title.clone();
    let root = NodeRef::<ArticleElement>::new();
    effect(move || {
        let Some(root) = root.get() else { return };
        document().set_title(&format!("{page_title} · Rushlight"));
        highlight_shown_code(&root);
        reach_by_keyboard(&root);
        browser::set_root("data-page", "ready");
        browser::mark("rushlight:editable");
        window().scroll_to_with_x_and_y(0.0, 0.0);
        // Coming from another lesson, a reader starts at the top of this one; at first the focus is the browser's.
        if shell.moved.get_value() {
            browser::focus("#main");
        }
        shell.moved.set_value(true);
        // The page comes first; what runs its cells follows.
        shell.client.start();
    });

    let (mut examples, mut exercises) = (0, 0);
    let blocks = lesson.blocks.iter().map(|block| match block {
        Block::Prose { html, .. } => view! { <div class="prose" inner_html=html.clone()></div> }.into_any(),
        Block::Cell(cell) => {
            let counter = if cell.kind == CellKind::Example { &mut examples } else { &mut exercises };
            *counter += 1;
            view! { <cell::CellView session=session.clone() cell=cell.as_ref().clone() number=*counter/> }.into_any()
        }
        Block::Widget(_) => ().into_any(),
    });
    let blocks = blocks.collect_view();
    let goals = lesson.goals.iter().map(|goal| view! { <li inner_html=goal.clone()></li> }).collect_view();
    let has_goals = !lesson.goals.is_empty();
    let summary = lesson.summary.clone();
    let other_language = {
        let language = language.clone();
        move || {
            let wanted = texts.locale.get().tag();
            let primary = |tag: &str| tag.split('-').next().unwrap_or_default().to_owned();
            (primary(wanted) != primary(&language))
                .then(|| view! { <p class="note quiet">{texts.get("other-language")}</p> })
        }
    };
    view! {
        <article class="lesson" lang=language node_ref=root>
            <header class="lesson-head">
                <p class="lesson-kicker">
                    {words(move || texts.with("lesson-number", [("number", (at + 1).into())]))}
                    {maybe(move || minutes.map(|minutes| format!(" · {}", texts.with("minutes", [("minutes", (minutes as usize).into())]))))}
                </p>
                <h1>{title}</h1>
                {(!summary.is_empty()).then(|| view! { <p class="lesson-summary">{summary.clone()}</p> })}
            </header>
            {maybe(other_language)}
            <runtime::Notes/>
            {has_goals.then(|| view! {
                <section class="goals">
                    <h2>{texts.say("goals")}</h2>
                    <ul>{goals}</ul>
                </section>
            })}
            {blocks}
            <Foot entry at session/>
        </article>
    }
}

/// Where the learner stands, and the lessons before and after.
#[component]
fn Foot(entry: Entry, at: usize, session: String) -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let neighbour = |index: Option<usize>| {
        index
            .and_then(|index| entry.course.lessons.get(index))
            .map(|lesson| (lesson.title.clone(), format!("#/{}/{}", entry.id, lesson.id)))
    };
    let previous = neighbour(at.checked_sub(1));
    let next = neighbour(at.checked_add(1));
    let last = next.is_none();
    let state = move || {
        let (passed, total, done) =
            shell.store.lesson(&session, |work: &LessonWork| (work.passed(), work.exercises, work.complete()));
        if total == 0 {
            return ().into_any();
        }
        if done {
            return view! {
                <p class="lesson-state done">{icon("check")}{texts.get("lesson-complete")}
                    {last.then(|| format!(" {}", texts.get("last-lesson")))}</p>
            }
            .into_any();
        }
        let text = texts.with("lesson-open", [("passed", passed.into()), ("total", total.into())]);
        view! { <p class="lesson-state">{text}</p> }.into_any()
    };
    let link = move |target: Option<(rushlight_lessons::Text, String)>, forward: bool| {
        target.map(|(title, href)| {
            let word = move || texts.get(if forward { "next-lesson" } else { "previous-lesson" });
            view! {
                <a class=if forward { "way next" } else { "way previous" } href=href rel=if forward { "next" } else { "prev" }>
                    <span class="way-word">{(!forward).then(|| icon("previous"))}{words(word)}{forward.then(|| icon("next"))}</span>
                    <span class="way-title">{words(move || title.get(texts.locale.get().tag()).to_owned())}</span>
                </a>
            }
        })
    };
    view! {
        <footer class="lesson-foot">
            {part(state)}
            <nav class="ways" aria-label=texts.say("ways")>
                {link(previous, false)}
                {link(next, true)}
            </nav>
        </footer>
    }
}

/// Colours Python that is shown in the prose, not run.
fn highlight_shown_code(root: &web_sys::Element) {
    let Ok(found) = root.query_selector_all(".prose pre code.language-python") else { return };
    for index in 0..found.length() {
        if let Some(element) = found.item(index).and_then(|node| node.dyn_into::<web_sys::Element>().ok()) {
            element.set_inner_html(&highlight_python(&element.text_content().unwrap_or_default()));
        }
    }
}

/// What scrolls sideways can be scrolled with the keyboard.
fn reach_by_keyboard(root: &web_sys::Element) {
    let Ok(found) = root.query_selector_all(".prose pre, .prose table, math[display=block]") else { return };
    for index in 0..found.length() {
        if let Some(element) = found.item(index).and_then(|node| node.dyn_into::<web_sys::Element>().ok())
            && element.scroll_width() > element.client_width()
        {
            let _ = element.set_attribute("tabindex", "0");
        }
    }
}
