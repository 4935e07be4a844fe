//! Reads what the worker said, field by field. The derived deserialisers do the same; but compiled into the page, which
//! everybody waits for, they would take some twenty kilobytes more of its download.

use crate::{CheckLine, FromWorker, Gpu, GpuUse, Name, Outcome, PythonError, Stream, TensorInfo};
use serde_json::Value;

impl FromWorker {
    /// Reads one message; nothing when it is none of this version's.
    pub fn read(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let it = Fields(&value);
        Some(match it.str("type")? {
            "loading" => Self::Loading { received: it.u64("received")?, total: it.u64("total")? },
            "starting" => Self::Starting,
            "load_failed" => Self::LoadFailed { message: it.text("message")? },
            "ready" => Self::Ready {
                version: it.u32("version")?,
                python: it.text("python")?,
                torch: it.text("torch")?,
                jspi: it.bool("jspi")?,
                start_ms: it.f64("start_ms")?,
            },
            "output" => Self::Output {
                run: it.u32("run")?,
                stream: match it.str("stream")? {
                    "stdout" => Stream::Stdout,
                    "stderr" => Stream::Stderr,
                    _ => return None,
                },
                text: it.text("text")?,
            },
            "value" => Self::Value { run: it.u32("run")?, text: it.text("text")? },
            "figure" => Self::Figure { run: it.u32("run")?, svg: it.text("svg")?, alt: it.text("alt")? },
            "checked" => Self::Checked { run: it.u32("run")?, check: check(it.get("check")?)? },
            "finished" => Self::Finished {
                run: it.u32("run")?,
                outcome: outcome(it.get("outcome")?)?,
                seconds: it.f64("seconds")?,
                names: it.list("names", name)?,
                gpu: it.get("gpu").map(gpu),
            },
            "crashed" => Self::Crashed { message: it.text("message")? },
            _ => return None,
        })
    }
}

/// An object's fields.
struct Fields<'a>(&'a Value);

impl<'a> Fields<'a> {
    /// A field that is there and not null.
    fn get(&self, name: &str) -> Option<Fields<'a>> {
        self.0.get(name).filter(|value| !value.is_null()).map(Fields)
    }

    fn str(&self, name: &str) -> Option<&'a str> {
        self.get(name)?.0.as_str()
    }

    fn text(&self, name: &str) -> Option<String> {
        self.str(name).map(str::to_owned)
    }

    fn bool(&self, name: &str) -> Option<bool> {
        self.get(name)?.0.as_bool()
    }

    fn u64(&self, name: &str) -> Option<u64> {
        self.get(name)?.0.as_u64()
    }

    fn u32(&self, name: &str) -> Option<u32> {
        u32::try_from(self.u64(name)?).ok()
    }

    fn f64(&self, name: &str) -> Option<f64> {
        self.get(name)?.0.as_f64()
    }

    fn list<T>(&self, name: &str, read: impl Fn(Fields<'a>) -> Option<T>) -> Option<Vec<T>> {
        self.get(name)?.0.as_array()?.iter().map(|value| read(Fields(value))).collect()
    }
}

fn outcome(it: Fields<'_>) -> Option<Outcome> {
    Some(match it.str("kind")? {
        "done" => Outcome::Done,
        "stopped" => Outcome::Stopped,
        "failed" => Outcome::Failed(PythonError {
            class: it.text("class")?,
            message: it.text("message")?,
            traceback: it.text("traceback")?,
            line: it.u32("line"),
            columns: it.list("columns", |at| u32::try_from(at.0.as_u64()?).ok()).and_then(|columns| {
                match columns.as_slice() {
                    [from, to] => Some((*from, *to)),
                    _ => None,
                }
            }),
            key: it.text("key"),
        }),
        _ => return None,
    })
}

/// A field that is missing is nothing: no run's end is lost for the sake of its figures.
fn gpu(it: Fields<'_>) -> Gpu {
    let text = |name| it.text(name).unwrap_or_default();
    let number = |name| it.u64(name).unwrap_or_default();
    if it.str("kind") == Some("absent") {
        return Gpu::Absent { reason: text("reason") };
    }
    Gpu::Used(Box::new(GpuUse {
        name: text("name"),
        api: text("api"),
        software: it.bool("software").unwrap_or_default(),
        max_buffer: number("max_buffer"),
        live: number("live"),
        reserved: number("reserved"),
        peak: number("peak"),
        launches: number("launches"),
        reads: number("reads"),
        bytes_read: number("bytes_read"),
        ms: it.f64("ms"),
        fallbacks: it
            .list("fallbacks", |pair| Some((pair.0.get(0)?.as_str()?.to_owned(), pair.0.get(1)?.as_u64()?)))
            .unwrap_or_default(),
    }))
}

fn check(it: Fields<'_>) -> Option<CheckLine> {
    Some(CheckLine {
        text: it.text("text")?,
        passed: it.bool("passed")?,
        hint: it.text("hint"),
        detail: it.text("detail"),
    })
}

fn name(it: Fields<'_>) -> Option<Name> {
    let tensor = match it.get("tensor") {
        None => None,
        Some(it) => Some(TensorInfo {
            shape: it.list("shape", |size| size.0.as_u64())?,
            strides: it.list("strides", |stride| stride.0.as_i64())?,
            offset: it.u64("offset")?,
            dtype: it.text("dtype")?,
            device: it.text("device")?,
            requires_grad: it.bool("requires_grad")?,
            grad_fn: it.text("grad_fn"),
            storage: it.u64("storage")?,
            version: it.u64("version")?,
        }),
    };
    Some(Name { name: it.text("name")?, class: it.text("class")?, preview: it.text("preview")?, tensor })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages() -> Vec<FromWorker> {
        let tensor = TensorInfo {
            shape: vec![2, 0],
            strides: vec![-1, 1],
            offset: 3,
            dtype: "torch.float32".into(),
            device: "cpu".into(),
            requires_grad: true,
            grad_fn: Some("AddBackward0".into()),
            storage: u64::MAX,
            version: 2,
        };
        let plain = Name { name: "n".into(), class: "int".into(), preview: "3".into(), tensor: None };
        let named = Name { name: "a".into(), class: "Tensor".into(), preview: "…".into(), tensor: Some(tensor) };
        let error = PythonError {
            class: "RuntimeError".into(),
            message: "a \"b\"\n".into(),
            traceback: "Traceback".into(),
            line: Some(3),
            columns: Some((0, 5)),
            key: Some("broadcast-mismatch".into()),
        };
        let bare = PythonError { line: None, columns: None, key: None, ..error.clone() };
        let finished = |outcome, names| FromWorker::Finished { run: 7, outcome, seconds: 0.25, names, gpu: None };
        let used = GpuUse {
            name: "Lamp 3000".into(),
            api: "webgpu".into(),
            software: true,
            max_buffer: 1 << 31,
            live: 4,
            reserved: 256,
            peak: 16,
            launches: 1204,
            reads: 3,
            bytes_read: 4800,
            ms: Some(12.5),
            fallbacks: vec![("sort".into(), 2), ("histc".into(), 1)],
        };
        let on_gpu = |gpu| FromWorker::Finished {
            run: 8,
            outcome: Outcome::Done,
            seconds: 1.0,
            names: Vec::new(),
            gpu: Some(gpu),
        };
        let line = CheckLine { text: "shape".into(), passed: false, hint: Some("h".into()), detail: None };
        vec![
            FromWorker::Loading { received: 1, total: 20_000_000_000 },
            FromWorker::Starting,
            FromWorker::LoadFailed { message: "404".into() },
            FromWorker::Ready {
                version: 1,
                python: "3.14".into(),
                torch: "2.15.0".into(),
                jspi: false,
                start_ms: 12.5,
            },
            FromWorker::Output { run: 1, stream: Stream::Stdout, text: "多\u{1F525}".into() },
            FromWorker::Output { run: 1, stream: Stream::Stderr, text: String::new() },
            FromWorker::Value { run: 2, text: "tensor(1.)".into() },
            FromWorker::Figure { run: 3, svg: "<svg/>".into(), alt: "a line".into() },
            FromWorker::Checked { run: 4, check: line },
            finished(Outcome::Done, vec![plain, named]),
            finished(Outcome::Stopped, Vec::new()),
            finished(Outcome::Failed(error), Vec::new()),
            finished(Outcome::Failed(bare), Vec::new()),
            on_gpu(Gpu::Used(Box::new(GpuUse { ms: None, fallbacks: Vec::new(), ..used.clone() }))),
            on_gpu(Gpu::Used(Box::new(used))),
            on_gpu(Gpu::Absent { reason: "it is off".into() }),
            FromWorker::Crashed { message: "memory".into() },
        ]
    }

    #[test]
    fn every_message_reads_as_it_was_written() {
        for message in messages() {
            let text = serde_json::to_string(&message).expect("plain data");
            assert_eq!(FromWorker::read(&text), Some(message), "{text}");
        }
    }

    #[test]
    fn what_is_no_message_is_nothing() {
        let wrong = [
            "",
            "[]",
            "{}",
            r#"{"type":"other"}"#,
            r#"{"type":"output","run":1,"stream":"stdin","text":""}"#,
            r#"{"type":"value","run":-1,"text":""}"#,
            r#"{"type":"finished","run":1,"outcome":{"kind":"done"},"seconds":1}"#,
        ];
        for text in wrong {
            assert_eq!(FromWorker::read(text), None, "{text}");
        }
    }
}
