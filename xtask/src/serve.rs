//! `cargo xtask serve`: builds, serves `dist/` on 127.0.0.1 and builds again what changes. The server does what a
//! plain static host does: precompressed siblings, MIME types, cache headers, nothing else.

use crate::dist::hash;
use crate::flags::Flags;
use crate::{site, watch};
use anyhow::{Result, anyhow};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tiny_http::{Header, Method, Request, Response, Server};

const FIRST_PORT: u16 = 8000;
const PORTS_TRIED: u16 = 20;
const THREADS: usize = 8;

pub fn run(flags: &Flags) -> Result<()> {
    let dist = site::build(flags.release)?;
    let url = start(&dist, flags.port)?;
    println!(
        "\n  Rushlight is at {url}\n\n  Lessons, styles and code are watched; reload the page after a change. Ctrl+C ends."
    );
    watch::run(flags.release)
}

/// Serves a folder from threads of its own and returns its URL.
pub fn start(folder: &Path, port: Option<u16>) -> Result<String> {
    let server = Arc::new(bind(port)?);
    let address = server.server_addr().to_ip().ok_or_else(|| anyhow!("the server has no address"))?;
    for _ in 0..THREADS {
        let (server, folder) = (server.clone(), folder.to_path_buf());
        std::thread::spawn(move || {
            while let Ok(request) = server.recv() {
                // A browser that hung up is no fault of ours.
                let _ = respond(request, &folder);
            }
        });
    }
    Ok(format!("http://127.0.0.1:{}/", address.port()))
}

fn bind(port: Option<u16>) -> Result<Server> {
    if let Some(port) = port {
        return Server::http(("127.0.0.1", port))
            .map_err(|error| anyhow!("cannot serve on port {port}: {error}. Choose another with --port N."));
    }
    let mut last = None;
    for port in FIRST_PORT..FIRST_PORT + PORTS_TRIED {
        match Server::http(("127.0.0.1", port)) {
            Ok(server) => return Ok(server),
            Err(error) => last = Some(error),
        }
    }
    let reason = last.map(|error| error.to_string()).unwrap_or_default();
    Err(anyhow!("no free port from {FIRST_PORT} on: {reason}. Choose one with --port N."))
}

/// What goes back for a request.
#[derive(Debug, Default, PartialEq)]
struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

fn respond(request: Request, folder: &Path) -> std::io::Result<()> {
    let header = |name: &'static str| {
        let found = request.headers().iter().find(|header| header.field.equiv(name));
        found.map(|header| header.value.as_str().to_string()).unwrap_or_default()
    };
    let answer = match request.method() {
        Method::Get | Method::Head => {
            answer(folder, request.url(), &header("Accept-Encoding"), &header("If-None-Match"))
        }
        _ => text(405, "Only GET and HEAD are answered here.\n"),
    };
    let length = answer.body.len();
    let mut response = Response::new(
        answer.status.into(),
        Vec::new(),
        Box::new(Cursor::new(answer.body)) as Box<dyn Read + Send>,
        Some(length),
        None,
    )
    // The length is always known, and a progress bar needs it.
    .with_chunked_threshold(usize::MAX);
    for (name, value) in answer.headers {
        if let Ok(header) = Header::from_bytes(name, value) {
            response.add_header(header);
        }
    }
    request.respond(response)
}

fn text(status: u16, body: &str) -> Answer {
    let headers = vec![("Content-Type", "text/plain; charset=utf-8".to_string()), ("Cache-Control", "no-cache".into())];
    Answer { status, headers, body: body.as_bytes().to_vec() }
}

fn answer(folder: &Path, url: &str, accept: &str, if_none_match: &str) -> Answer {
    let Some(path) = locate(folder, url) else {
        return text(404, "There is no such page here.\n");
    };
    let mut headers = vec![
        ("Content-Type", mime(&path).to_string()),
        ("Vary", "Accept-Encoding".to_string()),
        ("X-Content-Type-Options", "nosniff".to_string()),
    ];
    let mut body = None;
    for (encoding, extension) in [("br", "br"), ("gzip", "gz")] {
        if accepts(accept, encoding) {
            let mut name = path.clone().into_os_string();
            name.push(".");
            name.push(extension);
            if let Ok(packed) = std::fs::read(PathBuf::from(name)) {
                headers.push(("Content-Encoding", encoding.to_string()));
                body = Some(packed);
                break;
            }
        }
    }
    let Some(body) = body.or_else(|| std::fs::read(&path).ok()) else {
        return text(404, "There is no such page here.\n");
    };
    if path.strip_prefix(folder).is_ok_and(|inside| inside.starts_with("assets")) {
        headers.push(("Cache-Control", "public, max-age=31536000, immutable".to_string()));
    } else {
        let tag = format!("\"{}\"", hash(&body));
        headers.push(("Cache-Control", "no-cache".to_string()));
        headers.push(("ETag", tag.clone()));
        if if_none_match.split(',').any(|have| have.trim().trim_start_matches("W/") == tag) {
            return Answer { status: 304, headers, body: Vec::new() };
        }
    }
    Answer { status: 200, headers, body }
}

/// The file an address means, if it is one below the folder.
fn locate(folder: &Path, url: &str) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next().unwrap_or("");
    let path = decode(path)?;
    let mut file = folder.to_path_buf();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        // Neither out of the folder nor to hidden files; a backslash or colon would be a separator on Windows.
        if part.starts_with('.') || part.contains(['\\', ':', '\0']) {
            return None;
        }
        file.push(part);
    }
    if file.is_dir() {
        file.push("index.html");
    }
    file.is_file().then_some(file)
}

fn decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let (high, low) = (digit(bytes.next())?, digit(bytes.next())?);
        out.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(out).ok()
}

/// Whether an Accept-Encoding header names an encoding without turning it off.
fn accepts(header: &str, encoding: &str) -> bool {
    header.split(',').any(|item| {
        let mut parts = item.split(';').map(str::trim);
        parts.next().is_some_and(|name| name.eq_ignore_ascii_case(encoding))
            && !parts.any(|p| matches!(p, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

fn mime(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "md" => "text/markdown; charset=utf-8",
        "yaml" | "yml" => "application/yaml",
        "txt" | "py" | "ftl" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("rushlight-serve-{}-{name}", std::process::id()));
        std::fs::create_dir_all(folder.join("assets")).unwrap();
        std::fs::write(folder.join("index.html"), "<p>").unwrap();
        std::fs::write(folder.join("assets/a-1.wasm"), "raw").unwrap();
        std::fs::write(folder.join("assets/a-1.wasm.br"), "packed").unwrap();
        folder
    }

    fn get<'a>(answer: &'a Answer, name: &str) -> &'a str {
        answer.headers.iter().find(|(have, _)| *have == name).map_or("", |(_, value)| value)
    }

    #[test]
    fn a_browser_gets_the_packed_file_with_the_types_of_the_plain_one() {
        let folder = folder("packed");
        let packed = answer(&folder, "/assets/a-1.wasm?x=1", "gzip, deflate, br", "");
        assert_eq!((packed.status, packed.body.as_slice()), (200, b"packed".as_slice()));
        assert_eq!(get(&packed, "Content-Encoding"), "br");
        assert_eq!(get(&packed, "Content-Type"), "application/wasm");
        assert!(get(&packed, "Cache-Control").contains("immutable"));
        assert_eq!(answer(&folder, "/assets/a-1.wasm", "br;q=0", "").body, b"raw");
        assert_eq!(answer(&folder, "/assets/a-1.wasm", "", "").body, b"raw");
    }

    #[test]
    fn the_page_is_asked_for_again_each_time() {
        let folder = folder("etag");
        let first = answer(&folder, "/", "", "");
        assert_eq!(get(&first, "Cache-Control"), "no-cache");
        assert_eq!(answer(&folder, "/", "", get(&first, "ETag")).status, 304);
    }

    #[test]
    fn nothing_outside_the_folder_is_served() {
        let folder = folder("outside");
        std::fs::write(folder.join(".secret"), "x").unwrap();
        for url in ["/../Cargo.toml", "/%2e%2e/Cargo.toml", "/.secret", "/a%2f..%2f..%2fb", "/%zz", "/nothing"] {
            assert_eq!(answer(&folder, url, "", "").status, 404, "{url}");
        }
    }
}
