//! Fetches courses and lessons, which are plain files beside the page.

use crate::browser;
use crate::route::is_name;
use crate::texts::Locale;
use gloo_net::http::Request;
use rushlight_lessons::{Course, Lesson, Options, Problems, parse_course, parse_lesson};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use web_sys::RequestCache;

/// The list of course folders, in order.
const LIST: &str = "courses/courses.json";

/// A course and the folder it lies in.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub id: String,
    pub course: Course,
}

/// Something that is fetched.
#[derive(Debug, Clone, PartialEq)]
pub enum Load<T> {
    Pending,
    Ready(T),
    Failed(Fault),
}

/// Why it did not arrive.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    Fetch {
        file: String,
        reason: String,
    },
    /// It arrived, but its writer has to mend it.
    Broken(Arc<Problems>),
    /// The list is empty.
    NoCourses,
    /// No lesson of this name.
    NotFound,
}

/// Fetches every course of the site. A course that is broken is reported when it is the only one or asked for.
pub async fn courses() -> Result<Vec<Entry>, Fault> {
    let list = fetch(LIST).await?;
    let not_a_list = || Fault::Fetch { file: LIST.to_owned(), reason: "it is no JSON list of names".to_owned() };
    let ids: serde_json::Value = serde_json::from_str(&list).map_err(|_| not_a_list())?;
    let ids = ids.as_array().ok_or_else(not_a_list)?;
    let mut entries = Vec::new();
    let files = ids.iter().filter_map(serde_json::Value::as_str).filter(|id| is_name(id)).map(|id| async move {
        let file = format!("courses/{id}/course.yaml");
        let text = fetch(&file).await?;
        let course = parse_course(&file, &text).map_err(|problems| Fault::Broken(Arc::new(problems)))?;
        Ok(Entry { id: id.to_owned(), course })
    });
    for entry in together(files).await {
        entries.push(entry?);
    }
    if entries.is_empty() { Err(Fault::NoCourses) } else { Ok(entries) }
}

/// Waits for all of them at once; results come in the order of the futures.
async fn together<T>(futures: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut slots: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    poll_fn(move |context| {
        let mut pending = false;
        for (future, slot) in slots.iter_mut().filter(|(_, slot)| slot.is_none()) {
            match future.as_mut().poll(context) {
                Poll::Ready(result) => *slot = Some(result),
                Poll::Pending => pending = true,
            }
        }
        if pending {
            Poll::Pending
        } else {
            Poll::Ready(slots.iter_mut().filter_map(|(_, slot)| slot.take()).collect())
        }
    })
    .await
}

/// Fetches a lesson in the course's language that suits `wanted`; gives that language too.
pub async fn lesson(entry: &Entry, id: &str, wanted: &str) -> Result<(Arc<Lesson>, String), Fault> {
    let reference = entry.course.lessons.iter().find(|lesson| lesson.id == id).ok_or(Fault::NotFound)?;
    let language = entry.course.language_for(wanted).to_owned();
    let file = format!("courses/{}/{}", entry.id, reference.path(&language));
    let text = fetch(&file).await?;
    let options = Options { base: format!("courses/{}/{id}/", entry.id), lesson_base: format!("#/{}/", entry.id) };
    match parse_lesson(&file, &text, &options) {
        Ok(lesson) => Ok((Arc::new(lesson), language)),
        Err(problems) => Err(Fault::Broken(Arc::new(problems))),
    }
}

/// Fetches a language's words where they are not here yet. Without them the interface stays English.
pub async fn words(locale: Locale) {
    if let Some(asset) = locale.asset().filter(|_| !locale.is_here())
        && let Ok(source) = fetch_with(&browser::asset(&asset), RequestCache::Default).await
    {
        locale.supply(source);
    }
}

/// Fetches what an instructor may edit: the host is asked whether it changed.
async fn fetch(file: &str) -> Result<String, Fault> {
    fetch_with(file, RequestCache::NoCache).await
}

async fn fetch_with(file: &str, cache: RequestCache) -> Result<String, Fault> {
    let fault = |reason: String| Fault::Fetch { file: file.to_owned(), reason };
    let text = match browser::early(file).await {
        Some(text) => text,
        None => {
            let response = Request::get(file).cache(cache).send().await.map_err(|error| fault(error.to_string()))?;
            if !response.ok() {
                return Err(fault(format!("{} {}", response.status(), response.status_text()).trim().to_owned()));
            }
            response.text().await.map_err(|error| fault(error.to_string()))?
        }
    };
    // Some hosts answer every address with their own page.
    let start: String = text.trim_start().chars().take(9).collect();
    if start.eq_ignore_ascii_case("<!doctype") {
        return Err(fault("404".to_owned()));
    }
    Ok(text)
}
