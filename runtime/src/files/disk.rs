//! The host's own files, for the native tool. On a target without files every call answers `ENOSYS`.

use super::{Errno, FileTree, Kind, OpenFile, OpenHow, Result, Seek, Stat};
use std::fs;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;

/// See the module's text.
#[derive(Debug, Default)]
pub struct DiskFiles;

fn kind(of: fs::FileType) -> Kind {
    if of.is_dir() {
        Kind::Directory
    } else if of.is_symlink() {
        Kind::Link
    } else if of.is_file() {
        Kind::File
    } else {
        Kind::Other
    }
}

#[cfg(unix)]
fn stat_of(meta: &fs::Metadata) -> Stat {
    use std::os::unix::fs::MetadataExt;
    let ns = |s: i64, n: i64| i128::from(s) * 1_000_000_000 + i128::from(n);
    Stat {
        kind: kind(meta.file_type()),
        permissions: meta.mode() & 0o7777,
        size: meta.size(),
        inode: meta.ino(),
        device: meta.dev(),
        links: meta.nlink(),
        user: meta.uid(),
        group: meta.gid(),
        accessed_ns: ns(meta.atime(), meta.atime_nsec()),
        modified_ns: ns(meta.mtime(), meta.mtime_nsec()),
        changed_ns: ns(meta.ctime(), meta.ctime_nsec()),
    }
}

#[cfg(not(unix))]
fn stat_of(meta: &fs::Metadata) -> Stat {
    let ns = |time: io::Result<std::time::SystemTime>| {
        time.ok().and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok()).map_or(0, |d| d.as_nanos() as i128)
    };
    let modified_ns = ns(meta.modified());
    Stat {
        kind: kind(meta.file_type()),
        permissions: if meta.permissions().readonly() { 0o444 } else { 0o644 },
        size: meta.len(),
        inode: 0,
        device: 0,
        links: 1,
        user: 0,
        group: 0,
        accessed_ns: ns(meta.accessed()),
        modified_ns,
        changed_ns: modified_ns,
    }
}

fn time(ns: i128) -> Result<std::time::SystemTime> {
    let size = std::time::Duration::from_nanos(u64::try_from(ns.unsigned_abs()).map_err(|_| Errno::EINVAL)?);
    let epoch = std::time::UNIX_EPOCH;
    let at = if ns < 0 { epoch.checked_sub(size) } else { epoch.checked_add(size) };
    at.ok_or(Errno::EINVAL)
}

impl FileTree for DiskFiles {
    fn open(&self, path: &str, how: OpenHow) -> Result<Box<dyn OpenFile>> {
        let mut options = fs::OpenOptions::new();
        options.read(how.read).write(how.write && !how.append).append(how.append);
        options.truncate(how.truncate && how.write && !how.append);
        if how.create && how.exclusive {
            options.create_new(true);
        } else if how.create {
            options.create(true);
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(how.permissions);
        }
        let file = options.open(path)?;
        if file.metadata()?.is_dir() {
            return Err(Errno::EISDIR);
        }
        Ok(Box::new(DiskFile(file)))
    }

    fn stat(&self, path: &str, follow_links: bool) -> Result<Stat> {
        let meta = if follow_links { fs::metadata(path) } else { fs::symlink_metadata(path) };
        Ok(stat_of(&meta?))
    }

    fn list(&self, path: &str) -> Result<Vec<(String, Kind)>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let kind = entry.file_type().map_or(Kind::Other, kind);
            names.push((entry.file_name().to_string_lossy().into_owned(), kind));
        }
        Ok(names)
    }

    fn make_directory(&self, path: &str, permissions: u32) -> Result<()> {
        #[cfg_attr(not(unix), expect(unused_mut))]
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::DirBuilderExt;
            builder.mode(permissions);
        }
        #[cfg(not(unix))]
        let _ = permissions;
        Ok(builder.create(path)?)
    }

    fn remove_file(&self, path: &str) -> Result<()> {
        Ok(fs::remove_file(path)?)
    }

    fn remove_directory(&self, path: &str) -> Result<()> {
        Ok(fs::remove_dir(path)?)
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        Ok(fs::rename(from, to)?)
    }

    fn set_permissions(&self, path: &str, permissions: u32) -> Result<()> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            Ok(fs::set_permissions(path, fs::Permissions::from_mode(permissions))?)
        }
        #[cfg(not(unix))]
        {
            let mut now = fs::metadata(path)?.permissions();
            now.set_readonly(permissions & 0o200 == 0);
            Ok(fs::set_permissions(path, now)?)
        }
    }

    fn set_times(&self, path: &str, accessed_ns: i128, modified_ns: i128) -> Result<()> {
        let times = fs::FileTimes::new().set_accessed(time(accessed_ns)?).set_modified(time(modified_ns)?);
        Ok(fs::File::open(path)?.set_times(times)?)
    }

    fn make_link(&self, target: &str, path: &str) -> Result<()> {
        #[cfg(unix)]
        {
            Ok(std::os::unix::fs::symlink(target, path)?)
        }
        #[cfg(not(unix))]
        {
            let _ = (target, path);
            Err(Errno::ENOSYS)
        }
    }

    fn read_link(&self, path: &str) -> Result<String> {
        Ok(fs::read_link(path)?.to_string_lossy().into_owned())
    }

    fn working_directory(&self) -> Result<String> {
        Ok(std::env::current_dir()?.to_string_lossy().into_owned())
    }

    fn change_directory(&self, path: &str) -> Result<()> {
        Ok(std::env::set_current_dir(Path::new(path))?)
    }

    fn environment(&self) -> Vec<(String, String)> {
        let text = |s: std::ffi::OsString| s.to_string_lossy().into_owned();
        std::env::vars_os().map(|(name, value)| (text(name), text(value))).collect()
    }
}

struct DiskFile(fs::File);

impl OpenFile for DiskFile {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        Ok(self.0.read(into)?)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        Ok(self.0.write(bytes)?)
    }

    fn seek(&mut self, to: Seek) -> Result<u64> {
        let to = match to {
            Seek::Start(at) => io::SeekFrom::Start(at),
            Seek::Current(by) => io::SeekFrom::Current(by),
            Seek::End(by) => io::SeekFrom::End(by),
        };
        Ok(self.0.seek(to)?)
    }

    fn set_len(&mut self, len: u64) -> Result<()> {
        Ok(self.0.set_len(len)?)
    }

    fn stat(&self) -> Result<Stat> {
        Ok(stat_of(&self.0.metadata()?))
    }

    fn sync(&mut self) -> Result<()> {
        Ok(self.0.sync_all()?)
    }
}
