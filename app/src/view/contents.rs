//! The contents at the left: every lesson, and where the learner is.

use super::dynamic::{flag, part, press, words};
use super::icons::icon;
use crate::library::{Entry, Load};
use crate::route::Route;
use crate::shell::{is_wide, shell};
use crate::work::LessonWork;
use leptos::prelude::*;
use rushlight_lessons::LessonRef;

/// The contents. Narrow, they lie over the text until a lesson is picked.
#[component]
pub fn Contents() -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let close = move || {
        if !is_wide() {
            shell.contents.set(false);
        }
    };
    let escape = window_event_listener(leptos::ev::keydown, move |event| {
        if event.key() == "Escape" && !is_wide() && shell.contents.get_untracked() {
            shell.contents.set(false);
            crate::browser::focus(".contents-toggle");
        }
    });
    on_cleanup(move || escape.remove());
    let list = move || match shell.courses.get() {
        Load::Ready(courses) => courses.iter().map(course).collect_view().into_any(),
        _ => ().into_any(),
    };
    view! {
        <div class="contents-shade" on:click=press(close)></div>
        <nav id="contents" class="contents" aria-label=texts.say("contents")
            inert=flag(move || !shell.contents.get())>
            {part(list)}
        </nav>
    }
}

fn course(entry: &Entry) -> impl IntoView + use<> {
    let texts = shell().texts;
    let title = entry.course.title.clone();
    let lessons =
        entry.course.lessons.iter().enumerate().map(|(index, lesson)| row(&entry.id, index, lesson)).collect_view();
    view! {
        <section class="contents-course">
            <h2><a href="#/">{words(move || title.get(texts.locale.get().tag()).to_owned())}</a></h2>
            <ol>{lessons}</ol>
        </section>
    }
}

fn row(course: &str, index: usize, lesson: &LessonRef) -> impl IntoView + use<> {
    let shell = shell();
    let texts = shell.texts;
    let route = Route::Lesson { course: course.to_owned(), lesson: lesson.id.clone() };
    let href = route.href();
    let here = Memo::new(move |_| shell.route.with(|shown| *shown == route));
    let session = format!("{course}/{}", lesson.id);
    let title = lesson.title.clone();
    let state = Memo::new(move |_| {
        shell.store.lesson(&session, |work: &LessonWork| (work.passed(), work.exercises, work.complete()))
    });
    view! {
        <li>
            <a href=href aria-current=move || here.get().then_some("page")>
                <span class="contents-number" data-done=words(move || state.get().2.to_string())>
                    {part(move || if state.get().2 { icon("check").into_any() } else { (index + 1).into_any() })}
                </span>
                <span class="contents-title">{words(move || title.get(texts.locale.get().tag()).to_owned())}</span>
                {part(move || {
                    let (passed, total, done) = state.get();
                    if done {
                        return view! { <span class="visually-hidden">{texts.get("lesson-done")}</span> }.into_any();
                    }
                    (passed > 0).then(|| view! {
                        <span class="contents-count" aria-label=texts.with("lesson-progress", [("passed", passed.into()), ("total", total.into())])>
                            {format!("{passed}/{total}")}
                        </span>
                    }).into_any()
                })}
            </a>
        </li>
    }
}
