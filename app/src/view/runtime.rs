//! The runtime's state: how much has arrived, whether it is ready, what it is, and how to get it going again.

use super::dynamic::{maybe, part, press, words};
use crate::browser;
use crate::run::{Failure, Status};
use crate::shell::{megabytes, seconds, shell};
use crate::store::{set_setting, setting};
use leptos::prelude::*;

/// What the chip says, for tests and styles.
fn state_name(status: &Status, running: bool) -> &'static str {
    match status {
        Status::Absent | Status::Loading { .. } => "loading",
        Status::Starting => "starting",
        Status::Ready if running => "running",
        Status::Ready => "ready",
        Status::Failed(_) => "failed",
    }
}

/// Percent of a download, where its size is known.
fn percent(received: u64, total: u64) -> Option<usize> {
    (total > 0).then(|| (received.saturating_mul(100) / total).min(100) as usize)
}

/// The chip with the state; pressed, it tells more.
#[component]
pub fn RuntimeState() -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let client = shell.client;
    let state = move || state_name(&client.status.get(), client.running.with(Option::is_some));
    let word = move || match client.status.get() {
        Status::Absent => texts.get("runtime-loading"),
        Status::Loading { received, total } => match percent(received, total) {
            Some(percent) => texts.with("runtime-loading-percent", [("percent", percent.into())]),
            None => texts.get("runtime-loading"),
        },
        Status::Starting => texts.get("runtime-starting"),
        Status::Failed(_) => texts.get("runtime-failed"),
        Status::Ready => match client.running.get() {
            None => texts.get("runtime-ready"),
            Some((_, true, _)) => texts.get("runtime-stopping"),
            Some((_, false, since)) => {
                let elapsed = ((shell.clock.get() - since) / 1000.0).max(0.0).floor() as usize;
                texts.with("runtime-running", [("seconds", elapsed.into())])
            }
        },
    };
    // Spoken: only the changes that matter, not every percent and second.
    let spoken = move || match client.status.get() {
        Status::Starting => texts.get("runtime-starting"),
        Status::Failed(_) => texts.get("runtime-failed"),
        Status::Ready => format!("{}: {}", texts.get("runtime"), texts.get("runtime-ready")),
        _ => texts.get("runtime-loading"),
    };
    let spoken = Memo::new(move |_| spoken());
    view! {
        <button class="chip runtime-state" data-runtime=state popovertarget="runtime-pop">
            <span class="runtime-dot" aria-hidden="true"></span>
            <span class="chip-word">{words(word)}</span>
        </button>
        <span class="visually-hidden" role="status">{words(move || spoken.get())}</span>
        <div id="runtime-pop" class="pop" popover="auto"><Detail/></div>
    }
}

#[component]
fn Detail() -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let client = shell.client;
    part(move || {
        let info = client.info.get();
        let about = info.map(|info| {
            view! {
                <ul class="pop-facts">
                    <li>{texts.with("runtime-python", [("version", info.python.into())])}</li>
                    <li>{texts.with("runtime-torch", [("version", info.torch.into())])}</li>
                    <li>{texts.with("runtime-start", [("seconds", seconds(info.start_ms / 1000.0).into())])}</li>
                </ul>
                {(!info.jspi).then(|| view! { <p class="pop-note">{texts.get("no-jspi-text")}</p> })}
            }
        });
        let arriving = match client.status.get() {
            Status::Loading { received, total } => {
                let detail = if total > 0 {
                    let values = [("received", megabytes(received).into()), ("total", megabytes(total).into())];
                    texts.with("runtime-loading-detail", values)
                } else {
                    texts.with("runtime-loading-detail-unknown", [("received", megabytes(received).into())])
                };
                Some(view! {
                    <p class="pop-title">{texts.get("runtime-loading")}</p>
                    <progress max="100" value=percent(received, total).map(|percent| percent.to_string())
                        aria-label=texts.get("runtime-loading")></progress>
                    <p class="quiet">{detail}</p>
                })
            }
            _ => None,
        };
        view! {
            {arriving}
            <Failed/>
            {about}
            <p class="quiet">{texts.get("runtime-about")}</p>
        }
    })
}

/// What to do when there is no runtime.
#[component]
fn Failed() -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    part(move || {
        let Status::Failed(failure) = shell.client.status.get() else { return ().into_any() };
        let (text, reason, reload) = match failure {
            Failure::Download(reason) => (texts.get("runtime-failed-download"), Some(reason), false),
            Failure::Crash(reason) => (texts.get("runtime-failed-crash"), Some(reason), false),
            Failure::Version => (texts.get("runtime-failed-version"), None, true),
        };
        let reason = reason.filter(|reason| !reason.is_empty());
        let again = move || {
            if reload {
                let _ = window().location().reload();
            } else {
                shell.client.retry();
            }
        };
        view! {
            <p class="pop-title">{texts.get("runtime-failed")}</p>
            <p>{text}</p>
            {reason.map(|reason| view! { <p class="quiet">{texts.with("runtime-reason", [("message", reason.into())])}</p> })}
            <button class="button strong runtime-retry" on:click=press(again)>
                {if reload { texts.get("runtime-reload") } else { texts.get("retry") }}
            </button>
        }
        .into_any()
    })
}

/// The thin line under the bar that grows while the runtime arrives.
#[component]
pub fn LoadLine() -> impl IntoView {
    let client = shell().client;
    part(move || match client.status.get() {
        Status::Loading { received, total } => {
            let width = percent(received, total).unwrap_or(3).max(3);
            // The download is most of the wait; starting takes the rest of the line.
            view! { <div class="load-line" aria-hidden="true" style=format!("--done: {}%", width * 9 / 10)></div> }
                .into_any()
        }
        Status::Starting => view! { <div class="load-line" aria-hidden="true" style="--done: 95%"></div> }.into_any(),
        _ => ().into_any(),
    })
}

/// Notes above a lesson that must not be missed: no runtime, or a browser where Stop is different.
#[component]
pub fn Notes() -> impl IntoView {
    let shell = shell();
    let texts = shell.texts;
    let client = shell.client;
    let understood = RwSignal::new(setting("no-jspi").is_some());
    let failed = Memo::new(move |_| client.status.with(|status| matches!(status, Status::Failed(_))));
    let no_jspi = Memo::new(move |_| client.info.with(|info| info.as_ref().is_some_and(|info| !info.jspi)));
    let dismiss = move || {
        understood.set(true);
        set_setting("no-jspi", "understood");
        browser::focus("#main");
    };
    view! {
        {maybe(move || failed.get().then(|| view! { <aside class="note failed" role="alert"><Failed/></aside> }))}
        {maybe(move || (no_jspi.get() && !understood.get()).then(|| view! {
            <aside class="note no-jspi">
                <p class="pop-title">{texts.say("no-jspi-title")}</p>
                <p>{texts.say("no-jspi-text")}</p>
                <button class="button" on:click=press(dismiss)>{texts.say("understood")}</button>
            </aside>
        }))}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_is_honest() {
        assert_eq!(percent(0, 0), None);
        assert_eq!(percent(5, 10), Some(50));
        assert_eq!(percent(12, 10), Some(100));
        assert_eq!(percent(9_999, 10_000), Some(99), "not 100 before it is all there");
    }
}
