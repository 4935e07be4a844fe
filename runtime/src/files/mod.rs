//! Where files live: one trait over a tree of files, kept in memory (browser, tests) or on the disk (native tool).

mod disk;
mod memory;

pub use disk::DiskFiles;
pub use memory::MemoryFiles;
pub(crate) use memory::now_ns;

/// An error number as Linux counts them, on every target, so that a script sees the same `errno` everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Errno(pub i32);

impl Errno {
    pub const EPERM: Self = Self(1);
    pub const ENOENT: Self = Self(2);
    pub const EIO: Self = Self(5);
    pub const EBADF: Self = Self(9);
    pub const EAGAIN: Self = Self(11);
    pub const ENOMEM: Self = Self(12);
    pub const EACCES: Self = Self(13);
    pub const EEXIST: Self = Self(17);
    pub const ENOTDIR: Self = Self(20);
    pub const EISDIR: Self = Self(21);
    pub const EINVAL: Self = Self(22);
    pub const EMFILE: Self = Self(24);
    pub const EFBIG: Self = Self(27);
    pub const ENOSPC: Self = Self(28);
    pub const ESPIPE: Self = Self(29);
    pub const EPIPE: Self = Self(32);
    pub const ENAMETOOLONG: Self = Self(36);
    pub const ENOSYS: Self = Self(38);
    pub const ENOTEMPTY: Self = Self(39);

    /// The text `os.strerror` gives.
    pub fn text(self) -> String {
        let text = match self.0 {
            1 => "Operation not permitted",
            2 => "No such file or directory",
            4 => "Interrupted system call",
            5 => "Input/output error",
            9 => "Bad file descriptor",
            11 => "Resource temporarily unavailable",
            12 => "Cannot allocate memory",
            13 => "Permission denied",
            16 => "Device or resource busy",
            17 => "File exists",
            18 => "Invalid cross-device link",
            20 => "Not a directory",
            21 => "Is a directory",
            22 => "Invalid argument",
            24 => "Too many open files",
            26 => "Text file busy",
            27 => "File too large",
            28 => "No space left on device",
            29 => "Illegal seek",
            30 => "Read-only file system",
            32 => "Broken pipe",
            36 => "File name too long",
            38 => "Function not implemented",
            39 => "Directory not empty",
            40 => "Too many levels of symbolic links",
            _ => return format!("Unknown error {}", self.0),
        };
        text.to_owned()
    }
}

impl From<std::io::Error> for Errno {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind::*;
        if let Some(number) = error.raw_os_error() {
            return Self(number);
        }
        match error.kind() {
            NotFound => Self::ENOENT,
            PermissionDenied => Self::EACCES,
            AlreadyExists => Self::EEXIST,
            NotADirectory => Self::ENOTDIR,
            IsADirectory => Self::EISDIR,
            DirectoryNotEmpty => Self::ENOTEMPTY,
            BrokenPipe => Self::EPIPE,
            WouldBlock => Self::EAGAIN,
            OutOfMemory => Self::ENOMEM,
            InvalidInput => Self::EINVAL,
            StorageFull => Self::ENOSPC,
            _ => Self::EIO,
        }
    }
}

pub type Result<T> = std::result::Result<T, Errno>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    File,
    Directory,
    Link,
    Other,
}

/// What `os.stat` tells.
#[derive(Debug, Clone, Copy)]
pub struct Stat {
    pub kind: Kind,
    /// Permission bits only.
    pub permissions: u32,
    pub size: u64,
    pub inode: u64,
    pub device: u64,
    pub links: u64,
    pub user: u32,
    pub group: u32,
    pub accessed_ns: i128,
    pub modified_ns: i128,
    pub changed_ns: i128,
}

impl Stat {
    /// `st_mode`: kind and permissions.
    pub fn mode(&self) -> u32 {
        let kind = match self.kind {
            Kind::File => 0o100_000,
            Kind::Directory => 0o040_000,
            Kind::Link => 0o120_000,
            Kind::Other => 0o020_000,
        };
        kind | self.permissions
    }
}

/// How a file is to be opened.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenHow {
    pub read: bool,
    pub write: bool,
    pub append: bool,
    pub create: bool,
    pub exclusive: bool,
    pub truncate: bool,
    pub permissions: u32,
}

#[derive(Debug, Clone, Copy)]
pub enum Seek {
    Start(u64),
    Current(i64),
    End(i64),
}

/// An open file with a position of its own.
pub trait OpenFile {
    fn read(&mut self, into: &mut [u8]) -> Result<usize>;
    fn write(&mut self, bytes: &[u8]) -> Result<usize>;
    fn seek(&mut self, to: Seek) -> Result<u64>;
    fn set_len(&mut self, len: u64) -> Result<()>;
    fn stat(&self) -> Result<Stat>;
    fn sync(&mut self) -> Result<()>;
}

/// A tree of files with a working directory. Paths are as Python gives them: absolute, or relative to the working
/// directory.
pub trait FileTree {
    fn open(&self, path: &str, how: OpenHow) -> Result<Box<dyn OpenFile>>;
    fn stat(&self, path: &str, follow_links: bool) -> Result<Stat>;
    /// Names in a directory with their kinds, in no particular order, without `.` and `..`.
    fn list(&self, path: &str) -> Result<Vec<(String, Kind)>>;
    fn make_directory(&self, path: &str, permissions: u32) -> Result<()>;
    fn remove_file(&self, path: &str) -> Result<()>;
    fn remove_directory(&self, path: &str) -> Result<()>;
    /// Replaces an existing file at `to`.
    fn rename(&self, from: &str, to: &str) -> Result<()>;
    fn set_permissions(&self, path: &str, permissions: u32) -> Result<()>;
    fn set_times(&self, path: &str, accessed_ns: i128, modified_ns: i128) -> Result<()>;
    fn make_link(&self, target: &str, path: &str) -> Result<()>;
    fn read_link(&self, path: &str) -> Result<String>;
    fn working_directory(&self) -> Result<String>;
    fn change_directory(&self, path: &str) -> Result<()>;
    /// Environment variables a program starts with.
    fn environment(&self) -> Vec<(String, String)>;
}
