//! The world outside Python, one per thread: its files, its open descriptors, and where output goes.
//!
//! Native functions (`posix`, checks, figures) reach it through [`with`]; nothing in it may call back into Python
//! while the borrow lasts.

use crate::files::{Errno, FileTree, Kind, OpenFile, OpenHow, Result, Seek, Stat};
use rushlight_protocol::{CheckLine, Stream};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Where a program's output and a run's events go.
pub trait Sink {
    /// Bytes as the program wrote them; may end in the middle of a character.
    fn write(&self, stream: Stream, bytes: &[u8]) -> Result<()>;
    /// The value of a cell's last expression.
    fn value(&self, text: &str);
    fn figure(&self, svg: &str, alt: &str);
    fn checked(&self, line: &CheckLine);
    /// Bytes for `sys.stdin`; 0 at the end.
    fn read(&self, into: &mut [u8]) -> Result<usize> {
        let _ = into;
        Ok(0)
    }
    fn is_terminal(&self, stream: Option<Stream>) -> bool {
        let _ = stream;
        false
    }
}

enum Descriptor {
    Input,
    Output(Stream),
    File(Box<dyn OpenFile>),
}

struct Host {
    files: Rc<dyn FileTree>,
    sink: Rc<dyn Sink>,
    descriptors: RefCell<BTreeMap<i32, Descriptor>>,
    /// While a learner's cell runs for a check: its standard output, kept for `output`.
    captured: RefCell<Option<Vec<u8>>>,
    /// While `rerun` runs: output is captured and not shown.
    quiet: Cell<bool>,
}

thread_local! {
    static HOST: RefCell<Option<Rc<Host>>> = const { RefCell::new(None) };
}

/// More open files than this in one program are refused with `EMFILE`.
const MOST_FILES: usize = 1024;

/// Sets this thread's host, as a runtime starts.
pub(crate) fn install(files: Rc<dyn FileTree>, sink: Rc<dyn Sink>) {
    let descriptors = BTreeMap::from([
        (0, Descriptor::Input),
        (1, Descriptor::Output(Stream::Stdout)),
        (2, Descriptor::Output(Stream::Stderr)),
    ]);
    let host = Host {
        files,
        sink,
        descriptors: RefCell::new(descriptors),
        captured: RefCell::default(),
        quiet: Cell::default(),
    };
    HOST.set(Some(Rc::new(host)));
}

fn host() -> Result<Rc<Host>> {
    HOST.with_borrow(Clone::clone).ok_or(Errno::EIO)
}

/// This thread's files.
pub(crate) fn files() -> Result<Rc<dyn FileTree>> {
    Ok(host()?.files.clone())
}

/// This thread's sink; `None` before a runtime was made.
pub fn sink() -> Option<Rc<dyn Sink>> {
    host().ok().map(|host| host.sink.clone())
}

pub(crate) fn open(path: &str, how: OpenHow) -> Result<i32> {
    let host = host()?;
    let mut descriptors = host.descriptors.borrow_mut();
    if descriptors.len() >= MOST_FILES {
        return Err(Errno::EMFILE);
    }
    let file = host.files.open(path, how)?;
    let fd = (3..).find(|fd| !descriptors.contains_key(fd)).ok_or(Errno::EMFILE)?;
    descriptors.insert(fd, Descriptor::File(file));
    Ok(fd)
}

pub(crate) fn close(fd: i32) -> Result<()> {
    host()?.descriptors.borrow_mut().remove(&fd).map(drop).ok_or(Errno::EBADF)
}

fn with_descriptor<T>(fd: i32, act: impl FnOnce(&Host, &mut Descriptor) -> Result<T>) -> Result<T> {
    let host = host()?;
    let mut descriptors = host.descriptors.borrow_mut();
    act(&host, descriptors.get_mut(&fd).ok_or(Errno::EBADF)?)
}

pub(crate) fn read(fd: i32, into: &mut [u8]) -> Result<usize> {
    with_descriptor(fd, |host, descriptor| match descriptor {
        Descriptor::Input => host.sink.read(into),
        Descriptor::Output(_) => Err(Errno::EBADF),
        Descriptor::File(file) => file.read(into),
    })
}

pub(crate) fn write(fd: i32, bytes: &[u8]) -> Result<usize> {
    with_descriptor(fd, |host, descriptor| match descriptor {
        Descriptor::Input => Err(Errno::EBADF),
        Descriptor::Output(stream) => {
            if let (Stream::Stdout, Some(kept)) = (*stream, host.captured.borrow_mut().as_mut()) {
                kept.extend_from_slice(bytes);
            }
            if !host.quiet.get() {
                host.sink.write(*stream, bytes)?;
            }
            Ok(bytes.len())
        }
        Descriptor::File(file) => file.write(bytes),
    })
}

fn with_file<T>(fd: i32, not_a_file: Errno, act: impl FnOnce(&mut dyn OpenFile) -> Result<T>) -> Result<T> {
    with_descriptor(fd, |_, descriptor| match descriptor {
        Descriptor::File(file) => act(file.as_mut()),
        _ => Err(not_a_file),
    })
}

pub(crate) fn seek(fd: i32, to: Seek) -> Result<u64> {
    with_file(fd, Errno::ESPIPE, |file| file.seek(to))
}

pub(crate) fn set_len(fd: i32, len: u64) -> Result<()> {
    with_file(fd, Errno::EINVAL, |file| file.set_len(len))
}

pub(crate) fn sync(fd: i32) -> Result<()> {
    with_file(fd, Errno::EINVAL, |file| file.sync())
}

pub(crate) fn stat(fd: i32) -> Result<Stat> {
    with_descriptor(fd, |_, descriptor| match descriptor {
        Descriptor::File(file) => file.stat(),
        _ => Ok(Stat {
            kind: Kind::Other,
            permissions: 0o620,
            size: 0,
            inode: 0,
            device: 0,
            links: 1,
            user: 0,
            group: 0,
            accessed_ns: 0,
            modified_ns: 0,
            changed_ns: 0,
        }),
    })
}

pub(crate) fn is_terminal(fd: i32) -> bool {
    let answer = with_descriptor(fd, |host, descriptor| {
        Ok(match descriptor {
            Descriptor::Input => host.sink.is_terminal(None),
            Descriptor::Output(stream) => host.sink.is_terminal(Some(*stream)),
            Descriptor::File(_) => false,
        })
    });
    answer.unwrap_or(false)
}

/// Standard output kept during a check's run of the learner's cell.
pub(crate) struct Capture {
    outer: Option<Vec<u8>>,
    outer_quiet: bool,
}

impl Capture {
    /// Keeps what is written from now on; with `quiet`, does not show it.
    pub(crate) fn start(quiet: bool) -> Self {
        let Ok(host) = host() else { return Self { outer: None, outer_quiet: false } };
        let outer = host.captured.replace(Some(Vec::new()));
        let outer_quiet = host.quiet.replace(quiet || host.quiet.get());
        Self { outer, outer_quiet }
    }

    /// What was written since the start.
    pub(crate) fn finish(mut self) -> String {
        let Ok(host) = host() else { return String::new() };
        let kept = host.captured.replace(self.outer.take()).unwrap_or_default();
        String::from_utf8_lossy(&kept).into_owned()
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        if let Ok(host) = host() {
            host.quiet.set(self.outer_quiet);
            // `finish` has put the outer capture back and took it from here.
            if let Some(outer) = self.outer.take() {
                host.captured.replace(Some(outer));
            }
        }
    }
}
