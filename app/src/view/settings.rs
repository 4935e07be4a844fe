//! The settings: colours, language, the keys, and forgetting everything.

use super::dynamic::{part, press, words};
use super::icons::icon;
use crate::shell::{Theme, shell};
use crate::texts::Locale;
use leptos::prelude::*;

#[component]
pub fn Settings() -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let command = crate::browser::command_key();
    let theme = move |theme: Theme| {
        view! {
            <label class="choice">
                <input type="radio" name="theme" prop:checked=move || shell.theme.get() == theme
                    on:change=move |_| shell.set_theme(theme)/>
                <span>{words(move || match theme {
                    Theme::Auto => texts.get("theme-auto"),
                    Theme::Light => texts.get("theme-light"),
                    Theme::Dark => texts.get("theme-dark"),
                })}</span>
            </label>
        }
    };
    let language = move |locale: Locale| {
        view! {
            <label class="choice">
                <input type="radio" name="language" prop:checked=move || texts.locale.get() == locale
                    on:change=move |_| shell.set_language(locale)/>
                <span lang=locale.tag()>{locale.own_name()}</span>
            </label>
        }
    };
    view! {
        <button class="icon-button" popovertarget="settings-pop" aria-label=texts.say("settings") title=texts.say("settings")>{icon("settings")}</button>
        <div id="settings-pop" class="pop" popover="auto">
            <fieldset>
                <legend>{texts.say("theme")}</legend>
                <div class="choices">{Theme::ALL.map(theme).into_iter().collect_view()}</div>
            </fieldset>
            <fieldset>
                <legend>{texts.say("language")}</legend>
                <div class="choices">{Locale::ALL.map(language).into_iter().collect_view()}</div>
            </fieldset>
            <p class="pop-title">{texts.say("keys")}</p>
            <dl class="keys">
                <div><dt>{texts.say("keys-run")}</dt><dd><kbd>{command}</kbd>"+"<kbd>"Enter"</kbd></dd></div>
                <div><dt>{texts.say("keys-indent")}</dt><dd><kbd>"Tab"</kbd>" "<kbd>"Shift"</kbd>"+"<kbd>"Tab"</kbd></dd></div>
                <div><dt>{texts.say("keys-comment")}</dt><dd><kbd>{command}</kbd>"+"<kbd>"/"</kbd></dd></div>
                <div><dt>{texts.say("keys-leave")}</dt><dd><kbd>"Esc"</kbd></dd></div>
            </dl>
            <Erase/>
        </div>
    }
}

/// Forgets everything, after asking.
#[component]
fn Erase() -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let asking = RwSignal::new(false);
    let erase = move || {
        asking.set(false);
        shell.erase();
    };
    part(move || {
        if asking.get() {
            view! {
                <p>{texts.get("erase-detail")}</p>
                <div class="row">
                    <button class="button strong" on:click=press(erase)>{texts.get("erase-confirm")}</button>
                    <button class="button" on:click=press(move || asking.set(false))>{texts.get("erase-cancel")}</button>
                </div>
            }
            .into_any()
        } else {
            view! { <button class="link-button" on:click=press(move || asking.set(true))>{texts.get("erase")}</button> }
                .into_any()
        }
    })
}
