//! Keeps the learner's work in this browser: every lesson under its own key, written soon after each change.

use crate::browser;
use crate::work::{CellWork, LessonWork};
use leptos::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const PREFIX: &str = "rushlight.work.";
/// Data this page cannot read is moved here rather than overwritten.
const ASIDE: &str = "rushlight.aside.";
const SETTINGS: &str = "rushlight.settings.";
/// How long after the last change it is written.
const DELAY: Duration = Duration::from_millis(250);

/// Whether the work on the screen is also kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saved {
    Yes,
    Soon,
    No,
}

/// The kept work of all lessons.
#[derive(Clone, Copy)]
pub struct Store {
    lessons: RwSignal<BTreeMap<String, LessonWork>>,
    dirty: RwSignal<BTreeSet<String>>,
    writable: RwSignal<bool>,
    timer: StoredValue<Option<TimeoutHandle>>,
}

impl Store {
    /// Reads what is kept, and writes what is not yet written when the page is left.
    pub fn new() -> Self {
        let mut lessons = BTreeMap::new();
        let storage = browser::storage();
        if let Some(storage) = &storage {
            let count = storage.length().unwrap_or(0);
            let names: Vec<String> = (0..count).filter_map(|index| storage.key(index).ok().flatten()).collect();
            for name in names {
                let Some(session) = name.strip_prefix(PREFIX) else { continue };
                let Some(text) = storage.get_item(&name).ok().flatten() else { continue };
                match LessonWork::read(&text) {
                    Ok(work) => {
                        lessons.insert(session.to_owned(), work);
                    }
                    Err(_) => {
                        let _ = storage.set_item(&format!("{ASIDE}{session}"), &text);
                    }
                }
            }
        }
        let store = Self {
            lessons: RwSignal::new(lessons),
            dirty: RwSignal::new(BTreeSet::new()),
            writable: RwSignal::new(storage.is_some_and(|storage| storage.set_item("rushlight.probe", "1").is_ok())),
            timer: StoredValue::new(None),
        };
        let leaving = window_event_listener_untyped("pagehide", move |_| store.flush());
        let hiding = window_event_listener_untyped("visibilitychange", move |_| store.flush());
        on_cleanup(move || {
            leaving.remove();
            hiding.remove();
        });
        store
    }

    /// Whether the work is kept, to show it.
    pub fn saved(self) -> Saved {
        match (self.writable.get(), self.dirty.with(BTreeSet::is_empty)) {
            (false, _) => Saved::No,
            (true, true) => Saved::Yes,
            (true, false) => Saved::Soon,
        }
    }

    /// Looks at a lesson's work, and again whenever any lesson's changes.
    pub fn lesson<T>(self, session: &str, look: impl FnOnce(&LessonWork) -> T) -> T {
        self.lessons.with(|all| match all.get(session) {
            Some(work) => look(work),
            None => look(&LessonWork::default()),
        })
    }

    /// A cell's work as it is now.
    pub fn cell(self, session: &str, cell: &str) -> CellWork {
        self.lessons
            .with_untracked(|all| all.get(session).and_then(|work| work.cells.get(cell)).cloned())
            .unwrap_or_default()
    }

    /// Changes a cell's work.
    pub fn change(self, session: &str, cell: &str, change: impl FnOnce(&mut CellWork)) {
        let before = self.cell(session, cell);
        let mut after = before.clone();
        change(&mut after);
        if after == before {
            return;
        }
        self.lessons.update(|all| {
            all.entry(session.to_owned()).or_default().cells.insert(cell.to_owned(), after);
        });
        self.soon(session);
    }

    /// Notes how many exercises a lesson has.
    pub fn set_exercises(self, session: &str, exercises: usize) {
        if self.lessons.with_untracked(|all| all.get(session).is_some_and(|work| work.exercises == exercises)) {
            return;
        }
        self.lessons.update(|all| all.entry(session.to_owned()).or_default().exercises = exercises);
        self.soon(session);
    }

    /// Forgets everything.
    pub fn erase(self) {
        if let Some(storage) = browser::storage() {
            let count = storage.length().unwrap_or(0);
            let names: Vec<String> = (0..count).filter_map(|index| storage.key(index).ok().flatten()).collect();
            for name in names.iter().filter(|name| name.starts_with(PREFIX) || name.starts_with(ASIDE)) {
                let _ = storage.remove_item(name);
            }
        }
        self.dirty.update(BTreeSet::clear);
        self.lessons.update(BTreeMap::clear);
    }

    fn soon(self, session: &str) {
        self.dirty.update(|dirty| {
            dirty.insert(session.to_owned());
        });
        if let Some(timer) = self.timer.get_value() {
            timer.clear();
        }
        self.timer.set_value(set_timeout_with_handle(move || self.flush(), DELAY).ok());
    }

    fn flush(self) {
        let dirty = self.dirty.get_untracked();
        if dirty.is_empty() {
            return;
        }
        let storage = browser::storage();
        let written = self.lessons.with_untracked(|all| {
            dirty.iter().filter_map(|session| all.get(session).map(|work| (session, work))).all(|(session, work)| {
                storage
                    .as_ref()
                    .is_some_and(|storage| storage.set_item(&format!("{PREFIX}{session}"), &work.write()).is_ok())
            })
        });
        self.writable.set(written);
        if written {
            self.dirty.update(BTreeSet::clear);
        }
    }
}

/// A setting of the page, where one is kept.
pub fn setting(name: &str) -> Option<String> {
    browser::storage()?.get_item(&format!("{SETTINGS}{name}")).ok().flatten()
}

/// Keeps a setting; without storage it holds until the page is left.
pub fn set_setting(name: &str, value: &str) {
    if let Some(storage) = browser::storage() {
        let _ = storage.set_item(&format!("{SETTINGS}{name}"), value);
    }
}
