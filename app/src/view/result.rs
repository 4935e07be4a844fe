//! What a run gave: its output, how it ended, and its checks.

use super::cell::Parts;
use super::dynamic::{effect, flag, maybe, part, words};
use super::icons::icon;
use crate::run::{Notice, Phase, Piece};
use crate::shell::{seconds, shell};
use leptos::html::Div;
use leptos::prelude::*;
use rushlight_lessons::escape;
use rushlight_protocol::{CheckLine, Stream};

/// Printed text, values and figures, in order.
#[component]
pub fn Output(parts: Parts) -> impl IntoView {
    let texts = shell().texts;
    let transcript = Memo::new(move |_| parts.run.with(|run| run.transcript.clone()));
    let holder = NodeRef::<Div>::new();
    // While it runs, the latest lines stay in sight.
    effect(move || {
        transcript.track();
        if let Some(holder) = holder.get()
            && parts.run.with_untracked(|run| run.phase.busy())
        {
            holder.set_scroll_top(holder.scroll_height());
        }
    });
    let silent =
        move || parts.run.with(|run| run.phase == Phase::Done && run.transcript.is_empty() && run.checks.is_empty());
    let piece = move |piece: &Piece| match piece {
        Piece::Text { stream: Stream::Stdout, text } => view! { <pre>{text.clone()}</pre> }.into_any(),
        Piece::Text { stream: Stream::Stderr, text } => view! { <pre class="stderr">{text.clone()}</pre> }.into_any(),
        Piece::Value(text) => view! { <pre class="value">{text.clone()}</pre> }.into_any(),
        Piece::Cut(count) => {
            view! { <p class="quiet">{texts.with("output-cut", [("count", (*count).into())])}</p> }.into_any()
        }
        Piece::Figure { svg, alt } => {
            let alt = if alt.is_empty() { texts.get("figure") } else { alt.clone() };
            view! { <img class="figure" src=picture(svg) alt=alt/> }.into_any()
        }
    };
    view! {
        <div class="cell-output" role="log" aria-label=texts.say("output") node_ref=holder
            tabindex=move || if transcript.with(|all| all.is_empty()) { "-1" } else { "0" }
            hidden=flag(move || transcript.with(|all| all.is_empty()))>
            {part(move || transcript.with(|all| all.pieces().iter().map(piece).collect_view()))}
        </div>
        {maybe(move || silent().then(|| view! { <p class="cell-silent">{texts.get("cell-no-output")}</p> }))}
    }
}

/// A figure as an image's address: shown as a picture, an SVG runs no scripts.
fn picture(svg: &str) -> String {
    format!("data:image/svg+xml,{}", String::from(js_sys::encode_uri_component(svg)))
}

/// How a run ended, where that needs a word.
#[component]
pub fn EndNotice(parts: Parts) -> impl IntoView {
    let texts = shell().texts;
    let end = Memo::new(move |_| parts.run.with(|run| run.notice.map(|notice| (notice, run.seconds))));
    view! {
        <div role="status">
            {maybe(move || end.get().map(|(notice, took)| {
                let text = match notice {
                    Notice::Stopped => texts.with("cell-stopped", [("seconds", seconds(took).into())]),
                    Notice::Restarted => texts.get("cell-stopped-restarted"),
                    Notice::Crashed => texts.get("cell-crashed"),
                    Notice::Cancelled => texts.get("cell-cancelled"),
                };
                view! { <p class="cell-notice">{text}</p> }
            }))}
        </div>
    }
}

/// The checks of an exercise, one by one.
#[component]
pub fn Checks(parts: Parts) -> impl IntoView {
    let texts = shell().texts;
    let checks = Memo::new(move |_| parts.run.with(|run| run.checks.clone()));
    let failed = Memo::new(move |_| parts.run.with(|run| run.phase == Phase::Failed && run.error.is_some()));
    let passed = Memo::new(move |_| parts.run.with(|run| run.passed()));
    view! {
        <div class="cell-checks" role="group" aria-label=texts.say("checks")>
            <div aria-live="polite">
                {maybe(move || (!checks.with(Vec::is_empty)).then(|| view! {
                    <ul class="checks">{checks.get().into_iter().map(|check| view! { <Check check/> }).collect_view()}</ul>
                }))}
                {maybe(move || passed.get().then(|| view! { <p class="checks-all">{texts.get("checks-all")}</p> }))}
                {maybe(move || (failed.get() && checks.with(Vec::is_empty)).then(|| view! {
                    <p class="checks-none">{texts.get("checks-none")}</p>
                }))}
            </div>
        </div>
    }
}

#[component]
fn Check(check: CheckLine) -> impl IntoView {
    let texts = shell().texts;
    let passed = check.passed;
    view! {
        <li data-passed=passed.to_string()>
            {icon(if passed { "check" } else { "cross" })}
            <div>
                <p class="check-text">
                    <span class="visually-hidden">
                        {words(move || texts.get(if passed { "check-passed" } else { "check-failed" }))}": "
                    </span>
                    <span inner_html=with_code(&check.text)></span>
                </p>
                {check.detail.map(|detail| view! { <pre class="check-detail">{detail}</pre> })}
                {check.hint.map(|hint| view! { <p class="check-hint" inner_html=with_code(&hint)></p> })}
            </div>
        </li>
    }
}

/// A line of a check as HTML: what stands between backticks is code. An unpaired backtick is only a backtick.
fn with_code(text: &str) -> String {
    let text = escape(text);
    let mut html = String::new();
    let mut rest = text.as_str();
    while let Some((before, (code, after))) =
        rest.split_once('`').and_then(|(before, rest)| Some((before, rest.split_once('`')?)))
    {
        html = html + before + "<code>" + code + "</code>";
        rest = after;
    }
    html + rest
}

#[cfg(test)]
mod tests {
    use super::with_code;

    #[test]
    fn code_stands_between_backticks() {
        assert_eq!(with_code("`a < b` is & stays `c`"), "<code>a &lt; b</code> is &amp; stays <code>c</code>");
        assert_eq!(with_code("one ` alone"), "one ` alone");
        assert_eq!(with_code("`x`, ` and <b>"), "<code>x</code>, ` and &lt;b&gt;");
    }
}
