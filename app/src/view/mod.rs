//! What the learner sees.

mod cell;
mod contents;
mod device;
mod dynamic;
mod errors;
mod fault;
mod help;
mod home;
mod icons;
mod lesson;
mod names;
mod result;
mod runtime;
mod settings;
mod topbar;

pub use dynamic::effect;

use crate::browser;
use crate::library::Load;
use crate::route::Route;
use crate::shell::Shell;
use leptos::prelude::*;

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    let shell = Shell::new();
    provide_context(shell);
    let texts = shell.texts;
    let open = move || if shell.contents.get() { "open" } else { "closed" };
    let place = move || if shell.route.with(|route| *route == Route::Home) { "home" } else { "lesson" };
    let skip = move |event: web_sys::MouseEvent| {
        event.prevent_default();
        browser::focus("#main");
    };
    view! {
        <a class="skip" href="#main" on:click=skip>{texts.say("skip-to-lesson")}</a>
        <topbar::Topbar/>
        <div class="frame" data-contents=open data-place=place>
            <contents::Contents/>
            <main id="main" class="main" tabindex="-1">
                <Place/>
            </main>
            <names::Rail/>
        </div>
    }
}

/// The lesson or the list of lessons, by the address.
#[component]
fn Place() -> impl IntoView {
    let shell = crate::shell::shell();
    dynamic::part(move || {
        let route = shell.route.get();
        // A learner who erases everything gets fresh cells.
        shell.erased.track();
        match (shell.courses.get(), route) {
            (Load::Pending, _) => view! { <fault::Waiting/> }.into_any(),
            (Load::Failed(fault), _) => view! { <fault::Panel fault retry=move || shell.fetch_courses()/> }.into_any(),
            (Load::Ready(courses), Route::Home) => view! { <home::Home courses/> }.into_any(),
            (Load::Ready(courses), Route::Lesson { course, lesson }) => {
                match courses.iter().find(|entry| entry.id == course) {
                    Some(entry) => view! { <lesson::LessonPage entry=entry.clone() id=lesson/> }.into_any(),
                    None => view! { <fault::Panel fault=crate::library::Fault::NotFound retry=|| ()/> }.into_any(),
                }
            }
        }
    })
}
