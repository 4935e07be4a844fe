//! The page's icons, drawn as strokes of one width so that they sit well beside text.

use leptos::prelude::*;

/// An icon by name; it is decoration, the words beside it or the button's label carry the meaning.
pub fn icon(name: &'static str) -> impl IntoView {
    let path = match name {
        "run" => {
            r#"<path d="M6 4.2v11.6a.6.6 0 0 0 .9.5l9.3-5.8a.6.6 0 0 0 0-1L6.9 3.7a.6.6 0 0 0-.9.5z" fill="currentColor" stroke="none"/>"#
        }
        "stop" => r#"<rect x="5" y="5" width="10" height="10" rx="1.5" fill="currentColor" stroke="none"/>"#,
        "reset" => r#"<path d="M4.5 10a5.5 5.5 0 1 0 1.8-4.1"/><path d="M4.2 3.4v3.2h3.2"/>"#,
        "check" => r#"<path d="M4.5 10.5l3.6 3.6 7.4-8"/>"#,
        "cross" => r#"<path d="M5.5 5.5l9 9M14.5 5.5l-9 9"/>"#,
        "open" => r#"<circle cx="10" cy="10" r="5.5"/>"#,
        "menu" => r#"<path d="M3.5 5.5h13M3.5 10h9M3.5 14.5h13"/>"#,
        "settings" => {
            r#"<path d="M3 6h7M14 6h3M3 14h3M10 14h7"/><circle cx="12" cy="6" r="2"/><circle cx="8" cy="14" r="2"/>"#
        }
        "next" => r#"<path d="M4 10h12M11 5l5 5-5 5"/>"#,
        "previous" => r#"<path d="M16 10H4M9 5l-5 5 5 5"/>"#,
        "hint" => {
            r#"<path d="M7.5 13.2c-1.500-1-2.500-2.600-2.500-4.400a5 5 0 0 1 10 0c0 1.800-1 3.400-2.500 4.400v1.300h-5z"/><path d="M8.300 17h3.400"/>"#
        }
        "key" => r#"<circle cx="6.800" cy="10" r="3"/><path d="M9.800 10h7M14 10v2.800M16.800 10v2"/>"#,
        "saved" => r#"<path d="M5 3.500h8l2.500 2.500v10.500h-11v-13z"/><path d="M7 3.500v4h5v-4M7 16.500v-5h6v5"/>"#,
        "chip" => {
            r#"<rect x="5.500" y="5.500" width="9" height="9" rx="1.500"/><path d="M8 2.800v2.700M12 2.800v2.700M8 14.500v2.700M12 14.500v2.700M2.800 8h2.700M2.800 12h2.700M14.500 8h2.700M14.500 12h2.700"/>"#
        }
        "flame" => {
            r#"<path class="flame-outer" d="M10 1.800c.6 3-4.600 5.400-4.600 10.100a4.600 4.600 0 0 0 9.200 0c0-2-1-3.300-1.700-4.600-.3 1.100-.8 1.800-1.600 2.300.3-2.600-.1-5.700-1.300-7.800z" stroke="none"/><path class="flame-inner" d="M10 10.600c.2 1.300-1.900 2-1.900 3.900a1.900 1.900 0 0 0 3.800 0c0-1.500-1.300-2.200-1.900-3.900z" stroke="none"/>"#
        }
        _ => "",
    };
    view! { <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" inner_html=path></svg> }
}
