//! The interface's words in the learner's language, from the Fluent files in `app/texts`. English is built in; another
//! language is a file beside the page, fetched when somebody reads it.

use fluent_bundle::{FluentArgs, FluentBundle, FluentResource};
use leptos::prelude::*;
use std::cell::OnceCell;

/// A language the interface speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locale {
    En,
    ZhCn,
}

type Bundle = FluentBundle<FluentResource>;

const ENGLISH: &str = include_str!("../texts/en.ftl");

thread_local! {
    /// The languages whose words are here, in the order of `Locale::ALL`.
    static BUNDLES: [OnceCell<Bundle>; Locale::ALL.len()] = const { [OnceCell::new(), OnceCell::new()] };
}

impl Locale {
    /// All of them, in the order the settings list them.
    pub const ALL: [Self; 2] = [Self::En, Self::ZhCn];

    /// The language tag, as in `lang` attributes and file names.
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::ZhCn => "zh-CN",
        }
    }

    /// The language's name in that language.
    pub fn own_name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::ZhCn => "简体中文",
        }
    }

    /// The language for a tag such as `zh`, `zh-Hans` or `en-GB`.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.split('-').next().unwrap_or_default();
        Self::ALL.into_iter().find(|locale| {
            locale.tag().eq_ignore_ascii_case(tag)
                || locale.tag().split('-').next().is_some_and(|own| own.eq_ignore_ascii_case(primary))
        })
    }

    /// The asset that holds its words; English has none.
    pub fn asset(self) -> Option<String> {
        (self != Self::En).then(|| format!("texts/{}.ftl", self.tag()))
    }

    /// Whether its words are here.
    pub fn is_here(self) -> bool {
        self == Self::En || BUNDLES.with(|bundles| bundles[self as usize].get().is_some())
    }

    /// Hands over its words, a Fluent file.
    pub fn supply(self, source: String) {
        BUNDLES.with(|bundles| {
            bundles[self as usize].get_or_init(|| build(self, source));
        });
    }

    /// The text of `key`, or nothing when this language lacks it or is not here.
    pub fn text(self, key: &str, args: Option<&FluentArgs<'_>>) -> Option<String> {
        BUNDLES.with(|bundles| {
            let bundle = match (self, &bundles[self as usize]) {
                (Self::En, cell) => cell.get_or_init(|| build(self, ENGLISH.to_owned())),
                (_, cell) => cell.get()?,
            };
            let pattern = bundle.get_message(key)?.value()?;
            let mut faults = Vec::new();
            Some(bundle.format_pattern(pattern, args, &mut faults).into_owned())
        })
    }
}

fn build(locale: Locale, source: String) -> Bundle {
    let mut bundle = Bundle::new(locale.tag().parse().into_iter().collect());
    bundle.set_use_isolating(false);
    // A file with a mistake still gives its good entries; the tests see to it that there is none.
    let resource = match FluentResource::try_new(source) {
        Ok(resource) | Err((resource, _)) => resource,
    };
    let _ = bundle.add_resource(resource);
    bundle
}

/// The interface's words; follows the language the learner picks.
#[derive(Clone, Copy)]
pub struct Texts {
    pub locale: RwSignal<Locale>,
}

impl Texts {
    /// Words in `locale` to begin with.
    pub fn new(locale: Locale) -> Self {
        Self { locale: RwSignal::new(locale) }
    }

    /// The text of `key`. Inside a reactive closure it follows the language.
    pub fn get(self, key: &str) -> String {
        self.find(key, None).unwrap_or_else(|| key.to_owned())
    }

    /// The text of `key` for a view: it follows the language.
    pub fn say(self, key: &'static str) -> Box<dyn FnMut() -> String + Send> {
        Box::new(move || self.get(key))
    }

    /// The text of `key` with values filled in.
    pub fn with<const N: usize>(self, key: &str, values: [(&'static str, Value); N]) -> String {
        let mut args = FluentArgs::with_capacity(N);
        for (name, value) in values {
            match value {
                Value::Text(text) => args.set(name, text),
                Value::Count(count) => args.set(name, count),
            }
        }
        self.find(key, Some(&args)).unwrap_or_else(|| key.to_owned())
    }

    /// The text of a key that may not exist.
    pub fn find(self, key: &str, args: Option<&FluentArgs<'_>>) -> Option<String> {
        let locale = self.locale.get();
        locale.text(key, args).or_else(|| Locale::En.text(key, args))
    }
}

/// A value in a text.
pub enum Value {
    Text(String),
    Count(usize),
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<usize> for Value {
    fn from(count: usize) -> Self {
        Self::Count(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    impl Locale {
        /// For these tests and those of `view::errors`: the file of this language.
        pub fn source(self) -> &'static str {
            match self {
                Self::En => ENGLISH,
                Self::ZhCn => include_str!("../texts/zh-CN.ftl"),
            }
        }
    }

    fn keys(locale: Locale) -> BTreeSet<&'static str> {
        let lines = locale.source().lines();
        lines
            .filter(|line| !line.starts_with(['#', ' ']))
            .filter_map(|line| line.split_once(" = "))
            .map(|(key, _)| key)
            .collect()
    }

    #[test]
    fn every_file_reads_without_a_mistake() {
        for locale in Locale::ALL {
            assert!(FluentResource::try_new(locale.source().to_owned()).is_ok(), "{}", locale.tag());
        }
    }

    #[test]
    fn every_language_has_every_text() {
        assert_eq!(keys(Locale::En), keys(Locale::ZhCn));
    }

    #[test]
    fn every_text_the_page_asks_for_is_there() {
        fn visit(folder: &std::path::Path, asked: &mut BTreeSet<String>) {
            for entry in std::fs::read_dir(folder).expect("source folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    visit(&path, asked);
                    continue;
                }
                let source = std::fs::read_to_string(&path).expect("source file");
                for call in ["texts.get(\"", "texts.say(\"", "texts.with(\"", "texts.with(\n"] {
                    for part in source.split(call).skip(1) {
                        let part = part.trim_start().trim_start_matches('"');
                        asked.extend(part.split_once('"').map(|(key, _)| key.to_owned()));
                    }
                }
            }
        }
        let mut asked = BTreeSet::new();
        visit(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut asked);
        assert!(asked.len() > 40, "found only {asked:?}");
        let there = keys(Locale::En);
        let missing: Vec<_> = asked.iter().filter(|key| !there.contains(key.as_str())).collect();
        assert!(missing.is_empty(), "not in en.ftl: {missing:?}");
    }

    #[test]
    fn values_and_plurals_are_filled_in() {
        let mut args = FluentArgs::new();
        args.set("count", 1);
        assert_eq!(Locale::En.text("name-writes", Some(&args)).as_deref(), Some("written in place once"));
        args.set("count", 3);
        assert_eq!(Locale::En.text("name-writes", Some(&args)).as_deref(), Some("written in place 3 times"));
        args.set("count", 0);
        assert_eq!(Locale::ZhCn.text("name-writes", Some(&args)), None, "not fetched yet");
        Locale::ZhCn.supply(Locale::ZhCn.source().to_owned());
        assert_eq!(Locale::ZhCn.text("name-writes", Some(&args)).as_deref(), Some("从未原地写入"));
    }

    #[test]
    fn a_related_language_is_found() {
        assert_eq!(Locale::from_tag("zh-TW"), Some(Locale::ZhCn));
        assert_eq!(Locale::from_tag("EN-gb"), Some(Locale::En));
        assert_eq!(Locale::from_tag("fr"), None);
    }
}
