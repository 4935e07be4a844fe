//! The first page: the courses and their lessons, with what the learner has done.

use super::dynamic::{effect, maybe, part, words};
use super::icons::icon;
use crate::browser;
use crate::library::Entry;
use crate::shell::shell;
use crate::work::LessonWork;
use leptos::prelude::*;
use std::sync::Arc;

/// All courses.
#[component]
pub fn Home(courses: Arc<Vec<Entry>>) -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    effect(move || {
        document().set_title(&format!("{} · {}", texts.get("brand"), texts.get("brand-line")));
        browser::set_root("data-page", "ready");
        shell.active.set(None);
        shell.client.start();
    });
    let list = courses.iter().cloned().map(|entry| view! { <CourseCard entry/> }).collect_view();
    view! {
        <div class="home">
            <header class="home-head">
                {icon("flame")}
                <h1>{texts.say("brand")}</h1>
                <p>{texts.say("brand-line")}</p>
            </header>
            {list}
        </div>
    }
}

#[component]
fn CourseCard(entry: Entry) -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let entry = StoredValue::new(entry);
    let tag = move || texts.locale.get().tag();
    // The lesson to go on with: the first that is not complete.
    let next = move || {
        entry.with_value(|entry| {
            if entry.course.reference {
                return None;
            }
            let session = |id: &str| format!("{}/{id}", entry.id);
            let open = entry
                .course
                .lessons
                .iter()
                .find(|lesson| !shell.store.lesson(&session(&lesson.id), LessonWork::complete));
            let lesson = open.or(entry.course.lessons.first());
            lesson.map(|lesson| format!("#/{}", session(&lesson.id)))
        })
    };
    let begun = move || {
        entry.with_value(|entry| {
            entry
                .course
                .lessons
                .iter()
                .any(|lesson| shell.store.lesson(&format!("{}/{}", entry.id, lesson.id), LessonWork::touched))
        })
    };
    let rows = entry.with_value(|entry| {
        let row = |(index, lesson): (usize, &rushlight_lessons::LessonRef)| {
            let session = format!("{}/{}", entry.id, lesson.id);
            let href = format!("#/{session}");
            let title = lesson.title.clone();
            let minutes = lesson.minutes;
            view! {
                <li>
                    <a class="lesson-row" href=href>
                        <span class="lesson-number" aria-hidden="true">{index + 1}</span>
                        <span class="lesson-title">{words(move || title.get(tag()).to_owned())}</span>
                        <LessonMark session minutes/>
                    </a>
                </li>
            }
        };
        entry.course.lessons.iter().enumerate().map(row).collect_view()
    });
    view! {
        <section class="course">
            <h2>{words(move || entry.with_value(|entry| entry.course.title.get(tag()).to_owned()))}</h2>
            <p class="course-summary">{words(move || entry.with_value(|entry| entry.course.summary.get(tag()).to_owned()))}</p>
            {maybe(move || next().map(|href| view! {
                <a class="button strong large" href=href>
                    {words(move || if begun() { texts.get("continue-course") } else { texts.get("start-course") })}
                    {icon("next")}
                </a>
            }))}
            <ol class="lesson-rows">{rows}</ol>
        </section>
    }
}

/// How far a lesson is: minutes at first, then how many exercises passed.
#[component]
pub fn LessonMark(session: String, minutes: Option<u32>) -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    part(move || {
        let (passed, total, done) =
            shell.store.lesson(&session, |work| (work.passed(), work.exercises, work.complete()));
        if done {
            return view! { <span class="lesson-mark done">{icon("check")}{texts.get("lesson-done")}</span> }
                .into_any();
        }
        if passed > 0 {
            let text = texts.with("lesson-progress", [("passed", passed.into()), ("total", total.into())]);
            return view! { <span class="lesson-mark">{text}</span> }.into_any();
        }
        let text = minutes.map(|minutes| texts.with("minutes", [("minutes", (minutes as usize).into())]));
        view! { <span class="lesson-mark">{text}</span> }.into_any()
    })
}
