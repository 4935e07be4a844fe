//! A tree of files in memory: what a program in the browser sees.

use super::{Errno, FileTree, Kind, OpenFile, OpenHow, Result, Seek, Stat};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// More than this in one tree is refused with `ENOSPC`, before the tab runs out of memory.
const LIMIT: u64 = 512 << 20;

struct Data {
    bytes: RefCell<Vec<u8>>,
    inode: u64,
    permissions: Cell<u32>,
    accessed_ns: Cell<i128>,
    modified_ns: Cell<i128>,
    /// Bytes held by the whole tree.
    used: Rc<Cell<u64>>,
}

impl Drop for Data {
    fn drop(&mut self) {
        let len = self.bytes.borrow().len() as u64;
        self.used.set(self.used.get().saturating_sub(len));
    }
}

impl Data {
    fn stat(&self) -> Stat {
        Stat {
            kind: Kind::File,
            permissions: self.permissions.get(),
            size: self.bytes.borrow().len() as u64,
            inode: self.inode,
            device: 1,
            links: 1,
            user: 1000,
            group: 1000,
            accessed_ns: self.accessed_ns.get(),
            modified_ns: self.modified_ns.get(),
            changed_ns: self.modified_ns.get(),
        }
    }

    fn resize(&self, len: u64) -> Result<()> {
        let mut bytes = self.bytes.borrow_mut();
        let old = bytes.len() as u64;
        if len > old {
            let more = len - old;
            if self.used.get().saturating_add(more) > LIMIT {
                return Err(Errno::ENOSPC);
            }
            let more = usize::try_from(more).map_err(|_| Errno::EFBIG)?;
            bytes.try_reserve(more).map_err(|_| Errno::ENOSPC)?;
        }
        bytes.resize(usize::try_from(len).map_err(|_| Errno::EFBIG)?, 0);
        self.used.set(self.used.get().saturating_sub(old) + len);
        Ok(())
    }
}

#[derive(Clone)]
enum Node {
    File(Rc<Data>),
    Directory { inode: u64, permissions: u32, modified_ns: i128 },
}

struct Tree {
    /// Every node by its absolute path; the root is `/`.
    nodes: BTreeMap<String, Node>,
    working: String,
    next_inode: u64,
    used: Rc<Cell<u64>>,
    environment: Vec<(String, String)>,
}

/// See the module's text.
pub struct MemoryFiles(RefCell<Tree>);

impl Default for MemoryFiles {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryFiles {
    /// `/tmp` and the working directory `/home/learner`, both empty.
    pub fn new() -> Self {
        let mut tree = Tree {
            nodes: BTreeMap::new(),
            working: "/home/learner".to_owned(),
            next_inode: 1,
            used: Rc::default(),
            environment: vec![
                ("HOME".into(), "/home/learner".into()),
                ("PATH".into(), "/usr/bin:/bin".into()),
                ("USER".into(), "learner".into()),
                ("LANG".into(), "C.UTF-8".into()),
                ("TZ".into(), "UTC".into()),
            ],
        };
        for path in ["/", "/tmp", "/home", "/home/learner"] {
            tree.add_directory(path, 0o755);
        }
        Self(RefCell::new(tree))
    }

    /// Adds or replaces a file, making its directories.
    pub fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let full = self.0.borrow().absolute(path);
        let mut at = String::new();
        let mut parts: Vec<&str> = full.split('/').filter(|p| !p.is_empty()).collect();
        parts.pop();
        for part in parts {
            at.push('/');
            at.push_str(part);
            match self.make_directory(&at, 0o755) {
                Ok(()) | Err(Errno::EEXIST) => {}
                Err(error) => return Err(error),
            }
        }
        let how = OpenHow { write: true, create: true, truncate: true, permissions: 0o644, ..OpenHow::default() };
        self.open(&full, how)?.write(bytes).map(drop)
    }
}

pub(crate) fn now_ns() -> i128 {
    #[cfg(target_arch = "wasm32")]
    {
        (js_sys::Date::now() * 1e6) as i128
    }
    #[cfg(not(target_arch = "wasm32"))]
    {
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos() as i128)
    }
}

impl Tree {
    fn absolute(&self, path: &str) -> String {
        let mut parts: Vec<&str> = Vec::new();
        let base = if path.starts_with('/') { "" } else { self.working.as_str() };
        for part in base.split('/').chain(path.split('/')) {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        format!("/{}", parts.join("/"))
    }

    fn inode(&mut self) -> u64 {
        self.next_inode += 1;
        self.next_inode
    }

    fn add_directory(&mut self, path: &str, permissions: u32) {
        let inode = self.inode();
        self.nodes.insert(path.to_owned(), Node::Directory { inode, permissions, modified_ns: now_ns() });
    }

    fn parent(path: &str) -> &str {
        match path.rfind('/') {
            Some(0) | None => "/",
            Some(at) => path.get(..at).unwrap_or("/"),
        }
    }

    /// The node at an absolute path; a file in the middle of the path is `ENOTDIR`.
    fn find(&self, path: &str) -> Result<&Node> {
        if let Some(node) = self.nodes.get(path) {
            return Ok(node);
        }
        let mut at = path;
        while at != "/" {
            at = Self::parent(at);
            match self.nodes.get(at) {
                Some(Node::File(_)) => return Err(Errno::ENOTDIR),
                Some(Node::Directory { .. }) => break,
                None => {}
            }
        }
        Err(Errno::ENOENT)
    }

    fn check_parent(&self, path: &str) -> Result<()> {
        match self.find(Self::parent(path))? {
            Node::Directory { .. } => Ok(()),
            Node::File(_) => Err(Errno::ENOTDIR),
        }
    }

    /// A folder whose names change has a new modification time: importers look at it.
    fn touch_parent(&mut self, path: &str) {
        if let Some(Node::Directory { modified_ns, .. }) = self.nodes.get_mut(Self::parent(path)) {
            *modified_ns = now_ns().max(*modified_ns + 1);
        }
    }

    fn has_children(&self, path: &str) -> bool {
        let prefix = if path == "/" { "/".to_owned() } else { format!("{path}/") };
        self.nodes.range(prefix.clone()..).any(|(p, _)| p.starts_with(&prefix) && *p != path)
    }
}

fn check_name(path: &str) -> Result<()> {
    if path.is_empty() {
        return Err(Errno::ENOENT);
    }
    if path.split('/').any(|part| part.len() > 255) { Err(Errno::ENAMETOOLONG) } else { Ok(()) }
}

impl FileTree for MemoryFiles {
    fn open(&self, path: &str, how: OpenHow) -> Result<Box<dyn OpenFile>> {
        check_name(path)?;
        let mut tree = self.0.borrow_mut();
        let full = tree.absolute(path);
        let data = match tree.find(&full) {
            Ok(Node::Directory { .. }) => return Err(if how.exclusive { Errno::EEXIST } else { Errno::EISDIR }),
            Ok(Node::File(_)) if path.ends_with('/') => return Err(Errno::ENOTDIR),
            Ok(Node::File(data)) => {
                if how.exclusive && how.create {
                    return Err(Errno::EEXIST);
                }
                data.clone()
            }
            Err(Errno::ENOENT) if how.create => {
                if path.ends_with('/') {
                    return Err(Errno::EISDIR);
                }
                tree.check_parent(&full)?;
                let now = now_ns();
                let data = Rc::new(Data {
                    bytes: RefCell::default(),
                    inode: tree.inode(),
                    permissions: Cell::new(how.permissions & 0o777),
                    accessed_ns: Cell::new(now),
                    modified_ns: Cell::new(now),
                    used: tree.used.clone(),
                });
                tree.touch_parent(&full);
                tree.nodes.insert(full, Node::File(data.clone()));
                data
            }
            Err(error) => return Err(error),
        };
        if how.truncate && how.write {
            data.resize(0)?;
            data.modified_ns.set(now_ns());
        }
        Ok(Box::new(MemoryFile { data, at: 0, how }))
    }

    fn stat(&self, path: &str, _follow_links: bool) -> Result<Stat> {
        check_name(path)?;
        let tree = self.0.borrow();
        let full = tree.absolute(path);
        match tree.find(&full)? {
            Node::File(_) if path.ends_with('/') => Err(Errno::ENOTDIR),
            Node::File(data) => Ok(data.stat()),
            Node::Directory { inode, permissions, modified_ns } => Ok(Stat {
                kind: Kind::Directory,
                permissions: *permissions,
                size: 4096,
                inode: *inode,
                device: 1,
                links: 2,
                user: 1000,
                group: 1000,
                accessed_ns: *modified_ns,
                modified_ns: *modified_ns,
                changed_ns: *modified_ns,
            }),
        }
    }

    fn list(&self, path: &str) -> Result<Vec<(String, Kind)>> {
        check_name(path)?;
        let tree = self.0.borrow();
        let full = tree.absolute(path);
        if let Node::File(_) = tree.find(&full)? {
            return Err(Errno::ENOTDIR);
        }
        let prefix = if full == "/" { "/".to_owned() } else { format!("{full}/") };
        let names = tree.nodes.range(prefix.clone()..).take_while(|(p, _)| p.starts_with(&prefix));
        let names = names.filter_map(|(p, node)| {
            let name = p.get(prefix.len()..)?;
            let kind = match node {
                Node::File(_) => Kind::File,
                Node::Directory { .. } => Kind::Directory,
            };
            (!name.is_empty() && !name.contains('/')).then(|| (name.to_owned(), kind))
        });
        Ok(names.collect())
    }

    fn make_directory(&self, path: &str, permissions: u32) -> Result<()> {
        check_name(path)?;
        let mut tree = self.0.borrow_mut();
        let full = tree.absolute(path);
        match tree.find(&full) {
            Ok(_) => return Err(Errno::EEXIST),
            Err(Errno::ENOENT) => {}
            Err(error) => return Err(error),
        }
        tree.check_parent(&full)?;
        tree.touch_parent(&full);
        tree.add_directory(&full, permissions & 0o777);
        Ok(())
    }

    fn remove_file(&self, path: &str) -> Result<()> {
        check_name(path)?;
        let mut tree = self.0.borrow_mut();
        let full = tree.absolute(path);
        match tree.find(&full)? {
            Node::Directory { .. } => Err(Errno::EISDIR),
            Node::File(_) => {
                tree.nodes.remove(&full);
                tree.touch_parent(&full);
                Ok(())
            }
        }
    }

    fn remove_directory(&self, path: &str) -> Result<()> {
        check_name(path)?;
        let mut tree = self.0.borrow_mut();
        let full = tree.absolute(path);
        match tree.find(&full)? {
            Node::File(_) => Err(Errno::ENOTDIR),
            Node::Directory { .. } if tree.has_children(&full) => Err(Errno::ENOTEMPTY),
            Node::Directory { .. } if full == "/" => Err(Errno::EPERM),
            Node::Directory { .. } => {
                tree.nodes.remove(&full);
                tree.touch_parent(&full);
                Ok(())
            }
        }
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        check_name(from)?;
        check_name(to)?;
        let mut tree = self.0.borrow_mut();
        let (from, to) = (tree.absolute(from), tree.absolute(to));
        let node = tree.find(&from)?.clone();
        tree.check_parent(&to)?;
        if from == to {
            return Ok(());
        }
        let target = tree.nodes.get(&to).cloned();
        match (&node, target) {
            (Node::File(_), Some(Node::Directory { .. })) => return Err(Errno::EISDIR),
            (Node::Directory { .. }, Some(Node::File(_))) => return Err(Errno::ENOTDIR),
            (Node::Directory { .. }, Some(Node::Directory { .. })) if tree.has_children(&to) => {
                return Err(Errno::ENOTEMPTY);
            }
            _ => {}
        }
        if let Node::Directory { .. } = node {
            let prefix = format!("{from}/");
            if to.starts_with(&prefix) {
                return Err(Errno::EINVAL);
            }
            let inside: Vec<String> = tree
                .nodes
                .range(prefix.clone()..)
                .take_while(|(p, _)| p.starts_with(&prefix))
                .map(|(p, _)| p.clone())
                .collect();
            for old in inside {
                let rest = old.get(prefix.len()..).unwrap_or_default();
                let new = format!("{to}/{rest}");
                if let Some(node) = tree.nodes.remove(&old) {
                    tree.nodes.insert(new, node);
                }
            }
        }
        tree.nodes.remove(&from);
        tree.touch_parent(&from);
        tree.touch_parent(&to);
        tree.nodes.insert(to, node);
        Ok(())
    }

    fn set_permissions(&self, path: &str, wanted: u32) -> Result<()> {
        check_name(path)?;
        let mut tree = self.0.borrow_mut();
        let full = tree.absolute(path);
        tree.find(&full)?;
        match tree.nodes.get_mut(&full) {
            Some(Node::File(data)) => data.permissions.set(wanted & 0o777),
            Some(Node::Directory { permissions, .. }) => *permissions = wanted & 0o777,
            None => return Err(Errno::ENOENT),
        }
        Ok(())
    }

    fn set_times(&self, path: &str, accessed_ns: i128, wanted_ns: i128) -> Result<()> {
        check_name(path)?;
        let mut tree = self.0.borrow_mut();
        let full = tree.absolute(path);
        tree.find(&full)?;
        match tree.nodes.get_mut(&full) {
            Some(Node::File(data)) => {
                data.accessed_ns.set(accessed_ns);
                data.modified_ns.set(wanted_ns);
            }
            Some(Node::Directory { modified_ns, .. }) => *modified_ns = wanted_ns,
            None => return Err(Errno::ENOENT),
        }
        Ok(())
    }

    fn make_link(&self, _target: &str, _path: &str) -> Result<()> {
        Err(Errno::EPERM)
    }

    fn read_link(&self, path: &str) -> Result<String> {
        self.stat(path, false)?;
        Err(Errno::EINVAL)
    }

    fn working_directory(&self) -> Result<String> {
        Ok(self.0.borrow().working.clone())
    }

    fn change_directory(&self, path: &str) -> Result<()> {
        check_name(path)?;
        let mut tree = self.0.borrow_mut();
        let full = tree.absolute(path);
        match tree.find(&full)? {
            Node::File(_) => Err(Errno::ENOTDIR),
            Node::Directory { .. } => {
                tree.working = full;
                Ok(())
            }
        }
    }

    fn environment(&self) -> Vec<(String, String)> {
        self.0.borrow().environment.clone()
    }
}

struct MemoryFile {
    data: Rc<Data>,
    at: u64,
    how: OpenHow,
}

impl OpenFile for MemoryFile {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        if !self.how.read {
            return Err(Errno::EBADF);
        }
        let bytes = self.data.bytes.borrow();
        let rest = usize::try_from(self.at).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
        let n = rest.len().min(into.len());
        into[..n].copy_from_slice(&rest[..n]);
        self.at += n as u64;
        Ok(n)
    }

    fn write(&mut self, new: &[u8]) -> Result<usize> {
        if !self.how.write {
            return Err(Errno::EBADF);
        }
        if self.how.append {
            self.at = self.data.bytes.borrow().len() as u64;
        }
        let end = self.at.checked_add(new.len() as u64).ok_or(Errno::EFBIG)?;
        if end > self.data.bytes.borrow().len() as u64 {
            self.data.resize(end)?;
        }
        let mut bytes = self.data.bytes.borrow_mut();
        let (Ok(from), Ok(to)) = (usize::try_from(self.at), usize::try_from(end)) else {
            return Err(Errno::EFBIG);
        };
        bytes.get_mut(from..to).ok_or(Errno::EIO)?.copy_from_slice(new);
        self.at = end;
        self.data.modified_ns.set(now_ns());
        Ok(new.len())
    }

    fn seek(&mut self, to: Seek) -> Result<u64> {
        let len = self.data.bytes.borrow().len() as u64;
        let at = match to {
            Seek::Start(at) => Some(at),
            Seek::Current(by) => self.at.checked_add_signed(by),
            Seek::End(by) => len.checked_add_signed(by),
        };
        self.at = at.filter(|at| i64::try_from(*at).is_ok()).ok_or(Errno::EINVAL)?;
        Ok(self.at)
    }

    fn set_len(&mut self, len: u64) -> Result<()> {
        if !self.how.write {
            return Err(Errno::EINVAL);
        }
        self.data.resize(len)?;
        self.data.modified_ns.set(now_ns());
        Ok(())
    }

    fn stat(&self) -> Result<Stat> {
        Ok(self.data.stat())
    }

    fn sync(&mut self) -> Result<()> {
        Ok(())
    }
}
