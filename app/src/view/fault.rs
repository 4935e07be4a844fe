//! What is shown while a text is on its way, and when it did not arrive or is broken.

use super::dynamic::{press, words};
use crate::library::Fault;
use crate::shell::shell;
use leptos::prelude::*;

/// Lines in place of a text that is on its way.
#[component]
pub fn Waiting() -> impl IntoView {
    let texts = shell().texts;
    view! {
        <div class="waiting" role="status">
            <span class="visually-hidden">{texts.say("loading-lesson")}</span>
            <i></i><i></i><i></i><i></i>
        </div>
    }
}

/// What went wrong and what to do.
#[component]
pub fn Panel(fault: Fault, retry: impl Fn() + 'static) -> impl IntoView {
    let texts = shell().texts;
    crate::browser::set_root("data-page", "fault");
    match fault {
        Fault::Fetch { file, reason } => view! {
            <section class="panel" role="alert">
                <h1>{texts.say("fetch-failed-title")}</h1>
                <p>{words(move || texts.with("fetch-failed-text", [("file", file.clone().into()), ("reason", reason.clone().into())]))}</p>
                <button class="button strong" on:click=press(retry)>{texts.say("retry")}</button>
            </section>
        }
        .into_any(),
        Fault::Broken(problems) => {
            let rows = problems.0.iter().map(|problem| {
                view! {
                    <li>
                        <code>{format!("{}:{}", problem.file, problem.line)}</code>
                        <p>{problem.message.clone()}</p>
                        <p class="quiet">{problem.help.clone()}</p>
                    </li>
                }
            });
            view! {
                <section class="panel" role="alert">
                    <h1>{texts.say("lesson-broken-title")}</h1>
                    <p>{texts.say("lesson-broken-text")}</p>
                    <ul class="problems">{rows.collect_view()}</ul>
                    <button class="button strong" on:click=press(retry)>{texts.say("retry")}</button>
                </section>
            }
            .into_any()
        }
        Fault::NoCourses => {
            view! { <section class="panel"><p>{texts.say("no-courses")}</p></section> }.into_any()
        }
        Fault::NotFound => view! {
            <section class="panel" role="alert">
                <h1>{texts.say("not-found-title")}</h1>
                <p>{texts.say("not-found-text")}</p>
                <a class="button strong" href="#/">{texts.say("all-lessons")}</a>
            </section>
        }
        .into_any(),
    }
}
