//! The bar at the top: contents, where the learner is, what is saved, the device, the runtime, the settings.

use super::dynamic::{flag, press, words};
use super::icons::icon;
use super::{device, runtime, settings};
use crate::library::Load;
use crate::route::Route;
use crate::shell::shell;
use crate::store::Saved;
use leptos::prelude::*;

#[component]
pub fn Topbar() -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let title = move || {
        let tag = texts.locale.get().tag();
        let Load::Ready(courses) = shell.courses.get() else { return String::new() };
        let Route::Lesson { course, lesson } = shell.route.get() else { return String::new() };
        let entry = courses.iter().find(|entry| entry.id == course);
        let found = entry.and_then(|entry| entry.course.lessons.iter().find(|each| each.id == lesson));
        found.map(|lesson| lesson.title.get(tag).to_owned()).unwrap_or_default()
    };
    let at_home = move || shell.route.with(|route| *route == Route::Home);
    let toggle_label =
        move || if shell.contents.get() { texts.get("contents-hide") } else { texts.get("contents-show") };
    view! {
        <header class="topbar">
            <button class="icon-button contents-toggle" aria-controls="contents"
                aria-expanded=words(move || shell.contents.get().to_string())
                aria-label=words(toggle_label) title=words(toggle_label) hidden=flag(at_home)
                on:click=press(move || shell.toggle_contents())>
                {icon("menu")}
            </button>
            <a class="brand" href="#/" aria-label=words(move || format!("{}: {}", texts.get("brand"), texts.get("all-lessons")))>{icon("flame")}<span>{texts.say("brand")}</span></a>
            <span class="topbar-title" aria-hidden="true">{words(title)}</span>
            <div class="topbar-state">
                <SavedState/>
                <runtime::RuntimeState/>
                <device::DeviceState/>
                <settings::Settings/>
            </div>
            <runtime::LoadLine/>
        </header>
    }
}

/// Whether the work is kept.
#[component]
fn SavedState() -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let saved = Memo::new(move |_| shell.store.saved());
    let word = move || match saved.get() {
        Saved::Yes => texts.get("saved"),
        Saved::Soon => texts.get("saving"),
        Saved::No => texts.get("unsaved"),
    };
    let detail = move || match saved.get() {
        Saved::No => texts.get("unsaved-detail"),
        _ => texts.get("saved-detail"),
    };
    let state = move || match saved.get() {
        Saved::Yes => "yes",
        Saved::Soon => "soon",
        Saved::No => "no",
    };
    view! {
        <button class="chip saved-state" data-saved=state popovertarget="saved-pop" title=words(detail)>
            {icon("saved")}<span class="chip-word">{words(word)}</span>
        </button>
        <div id="saved-pop" class="pop" popover="auto"><p>{words(detail)}</p></div>
    }
}
