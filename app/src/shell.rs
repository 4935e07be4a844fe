//! What every part of the page shares: words, place, kept work, runtime, and which cell is in use.

use crate::browser;
use crate::library::{self, Entry, Load};
use crate::route::Route;
use crate::run::{CellKey, Client};
use crate::store::{Store, set_setting, setting};
use crate::texts::{Locale, Texts};
use leptos::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// The colours a learner picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    Auto,
    Light,
    Dark,
}

impl Theme {
    pub const ALL: [Self; 3] = [Self::Auto, Self::Light, Self::Dark];

    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// The shared parts.
#[derive(Clone, Copy)]
pub struct Shell {
    pub texts: Texts,
    pub store: Store,
    pub client: Client,
    pub route: RwSignal<Route>,
    pub courses: RwSignal<Load<Arc<Vec<Entry>>>>,
    /// The cell the learner works in; the rail follows it.
    pub active: RwSignal<Option<CellKey>>,
    pub theme: RwSignal<Theme>,
    /// The language picked last, whose words may still be on their way.
    picked: StoredValue<Locale>,
    /// Whether the contents are shown.
    pub contents: RwSignal<bool>,
    /// The page's clock in milliseconds, ticking while something runs.
    pub clock: RwSignal<f64>,
    /// Whether a lesson was shown before.
    pub moved: StoredValue<bool>,
    /// Counts how often the learner erased everything: what depends on it starts anew.
    pub erased: RwSignal<u32>,
}

/// The shared parts, anywhere below the app.
pub fn shell() -> Shell {
    expect_context()
}

impl Shell {
    /// Makes them and follows the browser: address, language, colours.
    pub fn new() -> Self {
        let theme = setting("theme");
        let theme = Theme::ALL.into_iter().find(|each| Some(each.name()) == theme.as_deref()).unwrap_or(Theme::Auto);
        let shell = Self {
            texts: Texts::new(language()),
            store: Store::new(),
            client: Client::new(),
            route: RwSignal::new(Route::parse(&browser::hash())),
            courses: RwSignal::new(Load::Pending),
            active: RwSignal::new(None),
            theme: RwSignal::new(theme),
            picked: StoredValue::new(language()),
            contents: RwSignal::new(is_wide() && setting("contents").as_deref() != Some("closed")),
            clock: RwSignal::new(browser::now()),
            moved: StoredValue::new(false),
            erased: RwSignal::new(0),
        };
        shell.follow_browser();
        shell.client.gpu.ask(shell.client);
        shell.fetch_courses();
        shell
    }

    fn follow_browser(self) {
        let moved = window_event_listener_untyped("hashchange", move |_| {
            let hash = browser::hash();
            let route = Route::parse(&hash);
            if Route::owns(&hash) && self.route.with_untracked(|shown| *shown != route) {
                self.route.set(route);
                if !is_wide() {
                    self.contents.set(false);
                }
            }
        });
        on_cleanup(move || moved.remove());
        crate::view::effect(move || browser::set_root("lang", self.texts.locale.get().tag()));
        crate::view::effect(move || browser::set_root("data-theme", self.theme.get().name()));
        let tick = set_interval_with_handle(
            move || {
                if self.client.running.with_untracked(Option::is_some) {
                    self.clock.set(browser::now());
                }
            },
            Duration::from_millis(200),
        );
        on_cleanup(move || {
            if let Ok(tick) = tick {
                tick.clear();
            }
        });
    }

    /// Fetches the list of courses, at first and after a failure.
    pub fn fetch_courses(self) {
        self.courses.set(Load::Pending);
        leptos::task::spawn_local(async move {
            let loaded = match library::courses().await {
                Ok(entries) => Load::Ready(Arc::new(entries)),
                Err(fault) => Load::Failed(fault),
            };
            self.courses.set(loaded);
        });
    }

    pub fn set_language(self, locale: Locale) {
        set_setting("language", locale.tag());
        self.picked.set_value(locale);
        leptos::task::spawn_local(async move {
            library::words(locale).await;
            // Another may have been picked while the words were on their way.
            if self.picked.get_value() == locale {
                self.texts.locale.set(locale);
            }
        });
    }

    pub fn set_theme(self, theme: Theme) {
        self.theme.set(theme);
        set_setting("theme", theme.name());
    }

    pub fn toggle_contents(self) {
        let open = !self.contents.get_untracked();
        self.contents.set(open);
        if is_wide() {
            set_setting("contents", if open { "open" } else { "closed" });
        } else if open {
            // They lie over the text, so the keyboard goes there too.
            set_timeout(|| browser::focus("#contents [aria-current], #contents a"), Duration::from_millis(30));
        }
    }

    /// Forgets every text and all progress.
    pub fn erase(self) {
        self.store.erase();
        self.client.clear();
        self.erased.update(|count| *count += 1);
    }
}

/// The language the learner picked, or else the browser's.
pub fn language() -> Locale {
    let picked = setting("language").and_then(|tag| Locale::from_tag(&tag));
    let preferred = || browser::languages().iter().find_map(|tag| Locale::from_tag(tag));
    picked.or_else(preferred).unwrap_or(Locale::En)
}

/// Whether contents and rail stand beside the text.
pub fn is_wide() -> bool {
    window().match_media("(min-width: 1100px)").ok().flatten().is_some_and(|query| query.matches())
}

/// Seconds as a learner reads them: two digits that matter below ten, none above.
pub fn seconds(value: f64) -> String {
    match value {
        v if v < 0.01 => "0.01".to_owned(),
        v if v < 1.0 => format!("{v:.2}"),
        v if v < 10.0 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

/// Bytes as megabytes with one digit.
pub fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1_000_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_read_well() {
        assert_eq!(seconds(0.0), "0.01");
        assert_eq!(seconds(0.123), "0.12");
        assert_eq!(seconds(4.26), "4.3");
        assert_eq!(seconds(61.2), "61");
        assert_eq!(megabytes(10_540_000), "10.5");
    }
}
