//! The settings: colours, language, the keys, and forgetting everything.

use super::icons::icon;
use crate::shell::{Theme, shell};
use crate::texts::Locale;
use leptos::prelude::*;

#[component]
pub fn Settings() -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let label = move || texts.get("settings");
    let theme = move |theme: Theme| {
        view! {
            <label class="choice">
                <input type="radio" name="theme" prop:checked=move || shell.theme.get() == theme
                    on:change=move |_| shell.set_theme(theme)/>
                <span>{move || match theme {
                    Theme::Auto => texts.get("theme-auto"),
                    Theme::Light => texts.get("theme-light"),
                    Theme::Dark => texts.get("theme-dark"),
                }}</span>
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
        <button class="icon-button" popovertarget="settings-pop" aria-label=label title=label>{icon("settings")}</button>
        <div id="settings-pop" class="pop" popover="auto">
            <fieldset>
                <legend>{move || texts.get("theme")}</legend>
                <div class="choices">{Theme::ALL.map(theme).into_iter().collect_view()}</div>
            </fieldset>
            <fieldset>
                <legend>{move || texts.get("language")}</legend>
                <div class="choices">{Locale::ALL.map(language).into_iter().collect_view()}</div>
            </fieldset>
            <p class="pop-title">{move || texts.get("keys")}</p>
            <dl class="keys">
                <div><dt>{move || texts.get("keys-run")}</dt><dd><kbd>"Ctrl"</kbd>"+"<kbd>"Enter"</kbd></dd></div>
                <div><dt>{move || texts.get("keys-indent")}</dt><dd><kbd>"Tab"</kbd>" "<kbd>"Shift"</kbd>"+"<kbd>"Tab"</kbd></dd></div>
                <div><dt>{move || texts.get("keys-comment")}</dt><dd><kbd>"Ctrl"</kbd>"+"<kbd>"/"</kbd></dd></div>
                <div><dt>{move || texts.get("keys-leave")}</dt><dd><kbd>"Esc"</kbd></dd></div>
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
    let erase = move |_| {
        asking.set(false);
        shell.erase();
    };
    move || {
        if asking.get() {
            view! {
                <p>{texts.get("erase-detail")}</p>
                <div class="row">
                    <button class="button strong" on:click=erase>{texts.get("erase-confirm")}</button>
                    <button class="button" on:click=move |_| asking.set(false)>{texts.get("erase-cancel")}</button>
                </div>
            }
            .into_any()
        } else {
            view! { <button class="link-button" on:click=move |_| asking.set(true)>{texts.get("erase")}</button> }
                .into_any()
        }
    }
}
