//! The GPU as the page knows it: whether there is one, whether programs may have it, and what the last run did there.

use crate::browser;
use crate::run::Client;
use crate::store::{set_setting, setting};
use crate::texts::Texts;
use leptos::prelude::*;
use rushlight_protocol::GpuUse;

/// What this browser offers.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// Still being asked.
    Pending,
    Here {
        /// Browsers may keep it to themselves.
        name: String,
        /// A processor plays it.
        software: bool,
    },
    /// Key of the sentence that says why.
    Absent(&'static str),
}

impl Found {
    /// What the page's shell answered.
    fn read(answer: &str) -> Self {
        let (word, name) = answer.split_once(' ').unwrap_or((answer, ""));
        match word {
            "ok" | "software" => Self::Here { name: name.to_owned(), software: word == "software" },
            "" => Self::Pending,
            "insecure" => Self::Absent("gpu-none-insecure"),
            "webgpu" => Self::Absent("gpu-none-webgpu"),
            "jspi" => Self::Absent("gpu-none-jspi"),
            _ => Self::Absent("gpu-none-adapter"),
        }
    }

    /// Whether programs have it where the learner has not said.
    fn by_default(&self) -> bool {
        matches!(self, Self::Here { software: false, .. })
    }
}

/// The GPU, shared by the chip, the cells and the client.
#[derive(Clone, Copy)]
pub struct Gpu {
    /// What the page's shell answered; nothing yet at first.
    answer: RwSignal<String>,
    /// Whether programs may have it.
    pub on: RwSignal<bool>,
    /// The last run that used it.
    pub last: RwSignal<Option<Box<GpuUse>>>,
}

impl Gpu {
    pub fn new() -> Self {
        Self { answer: RwSignal::new(String::new()), on: RwSignal::new(false), last: RwSignal::new(None) }
    }

    /// Asks the browser.
    pub fn ask(self, client: Client) {
        leptos::task::spawn_local(async move {
            let answer = browser::gpu().await;
            // The worker may have said meanwhile that it cannot wait for one.
            if self.answer.with_untracked(String::is_empty) {
                let found = Found::read(&answer);
                let on = match setting("gpu").as_deref() {
                    Some(kept) => kept == "on" && matches!(found, Found::Here { .. }),
                    None => found.by_default(),
                };
                self.answer.set(answer);
                self.switch(client, on);
            }
        });
    }

    /// What this browser offers, as far as it is known.
    pub fn found(self) -> Found {
        self.answer.with(|answer| Found::read(answer))
    }

    /// The worker cannot wait for one.
    pub fn rule_out(self, client: Client) {
        self.answer.set("jspi".to_owned());
        self.switch(client, false);
    }

    fn switch(self, client: Client, on: bool) {
        self.on.set(on);
        client.allow_gpu(on);
    }

    /// The learner switches it on or off.
    pub fn choose(self, client: Client, on: bool) {
        set_setting("gpu", if on { "on" } else { "off" });
        self.switch(client, on);
    }

    /// Why programs get none, as far as the page knows.
    pub fn reason(self, texts: Texts) -> Option<String> {
        match self.found() {
            Found::Absent(key) => Some(texts.get(key)),
            _ => (!self.on.get()).then(|| texts.get("gpu-off")),
        }
    }
}

/// Bytes as people read them.
pub fn size(bytes: u64) -> String {
    let value = bytes as f64;
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => short(value / 1e3, "kB"),
        1_000_000..1_000_000_000 => short(value / 1e6, "MB"),
        _ => short(value / 1e9, "GB"),
    }
}

/// Milliseconds as people read them.
fn duration(ms: f64) -> String {
    if ms < 1_000.0 { short(ms, "ms") } else { short(ms / 1e3, "s") }
}

fn short(value: f64, unit: &str) -> String {
    if value < 9.95 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// A count with its thousands apart.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What a run did there, in a few words each.
pub fn told(texts: Texts, used: &GpuUse) -> Vec<String> {
    let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let kernels = [("count", count(used.launches).into()), ("kernels", grouped(used.launches).into())];
    let mut told =
        vec![texts.with("gpu-kernels", kernels), texts.with("gpu-read", [("size", size(used.bytes_read).into())])];
    told.extend(used.ms.map(|ms| texts.with("gpu-time", [("time", duration(ms).into())])));
    if !used.fallbacks.is_empty() {
        let mut names: Vec<&str> = used.fallbacks.iter().take(4).map(|(name, _)| name.as_str()).collect();
        if used.fallbacks.len() > names.len() {
            names.push("…");
        }
        let ops = count(used.fallbacks.iter().map(|(_, times)| times).sum());
        told.push(texts.with("gpu-fallbacks", [("count", ops.into()), ("names", names.join(", ").into())]));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        assert_eq!(size(0), "0 B");
        assert_eq!(size(4_800), "4.8 kB");
        assert_eq!(size(268_435_456), "268 MB");
        assert_eq!(size(2_147_483_648), "2.1 GB");
        assert_eq!([7, 1_204, 1_234_567].map(grouped), ["7", "1,204", "1,234,567"]);
        assert_eq!(duration(0.04), "0.0 ms");
        assert_eq!(duration(12.4), "12 ms");
        assert_eq!(duration(2_345.0), "2.3 s");
    }

    #[test]
    fn only_a_real_gpu_is_used_unasked() {
        assert!(Found::read("ok nvidia ampere").by_default());
        assert!(!Found::read("software google swiftshader").by_default());
        assert_eq!(Found::read("ok "), Found::Here { name: String::new(), software: false });
        assert_eq!(Found::read("jspi"), Found::Absent("gpu-none-jspi"));
        assert_eq!(Found::read("adapter"), Found::Absent("gpu-none-adapter"));
        assert_eq!(Found::read(""), Found::Pending);
    }
}
