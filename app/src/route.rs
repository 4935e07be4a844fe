//! Where the learner is: the hash of the address, so that the page works on any static host and in any folder.

/// A place in the site.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Route {
    /// All courses and lessons.
    #[default]
    Home,
    Lesson {
        course: String,
        lesson: String,
    },
}

impl Route {
    /// Reads `#/course/lesson`; anything else is home.
    pub fn parse(hash: &str) -> Self {
        let path = hash.trim_start_matches('#').trim_matches('/');
        match path.split_once('/') {
            Some((course, lesson)) if is_name(course) && is_name(lesson) => {
                Self::Lesson { course: course.to_owned(), lesson: lesson.to_owned() }
            }
            _ => Self::Home,
        }
    }

    /// Whether a hash is ours at all; `#some-heading` is an anchor in the text and no change of place.
    pub fn owns(hash: &str) -> bool {
        matches!(hash, "" | "#") || hash.starts_with("#/")
    }

    /// The address of this place.
    pub fn href(&self) -> String {
        match self {
            Self::Home => "#/".to_owned(),
            Self::Lesson { course, lesson } => format!("#/{course}/{lesson}"),
        }
    }
}

/// Folder names a course may use: no path tricks, nothing that needs escaping in an address.
pub fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesson_address_goes_there_and_back() {
        let route = Route::parse("#/first-steps/01-broadcasting");
        assert_eq!(route, Route::Lesson { course: "first-steps".into(), lesson: "01-broadcasting".into() });
        assert_eq!(route.href(), "#/first-steps/01-broadcasting");
    }

    #[test]
    fn odd_addresses_lead_home() {
        for hash in ["", "#", "#/", "#/one", "#/../secret", "#/a/b/c", "#/a/%2e%2e", "#/a/.hidden"] {
            assert_eq!(Route::parse(hash), Route::Home, "{hash}");
        }
    }

    #[test]
    fn anchors_in_the_text_are_not_ours() {
        assert!(!Route::owns("#a-heading"));
        assert!(Route::owns("#/a/b"));
        assert!(Route::owns(""));
    }
}
