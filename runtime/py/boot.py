# Runs once as the interpreter starts: the importer of embedded sources, files and standard streams over `posix`.
# Kept small, because every page load waits for it.
import sys
import builtins
import errno
import posix
import _io
import _rushlight
from _frozen_importlib import ModuleSpec
import _frozen_importlib as _bootstrap

# Where the target has no numbers of its own, files still fail with Linux's.
for _name, _number in {
    "EPERM": 1, "ENOENT": 2, "ESRCH": 3, "EINTR": 4, "EIO": 5, "ENXIO": 6, "EBADF": 9, "ECHILD": 10, "EAGAIN": 11,
    "EWOULDBLOCK": 11, "ENOMEM": 12, "EACCES": 13, "EBUSY": 16, "EEXIST": 17, "EXDEV": 18, "ENODEV": 19,
    "ENOTDIR": 20, "EISDIR": 21, "EINVAL": 22, "ENFILE": 23, "EMFILE": 24, "ENOTTY": 25, "ETXTBSY": 26, "EFBIG": 27,
    "ENOSPC": 28, "ESPIPE": 29, "EROFS": 30, "EMLINK": 31, "EPIPE": 32, "EDOM": 33, "ERANGE": 34,
    "ENAMETOOLONG": 36, "ENOSYS": 38, "ENOTEMPTY": 39, "ELOOP": 40, "ENODATA": 61, "EOVERFLOW": 75, "EILSEQ": 84,
    "ENOTSUP": 95, "EOPNOTSUPP": 95, "ETIMEDOUT": 110, "ECANCELED": 125,
}.items():
    if not hasattr(errno, _name):
        setattr(errno, _name, _number)
        errno.errorcode.setdefault(_number, _name)


class FileIO(_io._RawIOBase):
    """Raw access to one file."""

    _fd = -1
    _closefd = True
    _mode = "rb"

    def __init__(self, file, mode="r", closefd=True, opener=None):
        self._take(*_rushlight.open_raw(file, mode, closefd, opener))

    def _take(self, fd, mode, name, closefd):
        self._fd = fd
        self._mode = mode
        self._closefd = closefd
        self.name = name

    def _check(self):
        if self._fd < 0:
            raise ValueError("I/O operation on closed file")

    def fileno(self):
        self._check()
        return self._fd

    def isatty(self):
        self._check()
        return posix.isatty(self._fd)

    def readable(self):
        self._check()
        return "r" in self._mode or "+" in self._mode

    def writable(self):
        self._check()
        return "r" not in self._mode or "+" in self._mode

    def seekable(self):
        self._check()
        if self._fd <= 2:
            return False
        return True

    def readinto(self, buffer):
        self._check()
        if not self.readable():
            raise _io.UnsupportedOperation("File not open for reading")
        return posix.readinto(self._fd, buffer)

    def read(self, size=-1):
        self._check()
        if not self.readable():
            raise _io.UnsupportedOperation("File not open for reading")
        if size is None or size < 0:
            return self.readall()
        return posix.read(self._fd, size)

    def readall(self):
        self._check()
        if not self.readable():
            raise _io.UnsupportedOperation("File not open for reading")
        parts = []
        while part := posix.read(self._fd, 1 << 20):
            parts.append(part)
        return b"".join(parts)

    def write(self, data):
        self._check()
        if not self.writable():
            raise _io.UnsupportedOperation("File not open for writing")
        return posix.write(self._fd, data)

    def seek(self, position, whence=0):
        self._check()
        return posix.lseek(self._fd, position, whence)

    def tell(self):
        self._check()
        return posix.lseek(self._fd, 0, 1)

    def truncate(self, size=None):
        self._check()
        if not self.writable():
            raise _io.UnsupportedOperation("File not open for writing")
        if size is None:
            size = self.tell()
        posix.ftruncate(self._fd, size)
        return size

    def close(self):
        fd = self._fd
        if fd < 0:
            return
        try:
            super().close()
        finally:
            self._fd = -1
            if self._closefd:
                posix.close(fd)

    @property
    def closefd(self):
        return self._closefd

    @property
    def mode(self):
        return self._mode

    def __repr__(self):
        if self._fd < 0:
            return "<_io.FileIO [closed]>"
        return f"<_io.FileIO name={self.name!r} mode={self._mode!r} closefd={self._closefd}>"

    def __getstate__(self):
        raise TypeError("cannot pickle '_io.FileIO' instances")


FileIO.__module__ = "_io"
_io.FileIO = FileIO
_io.open = builtins.open = _rushlight.open
_io.open_code = lambda path: _rushlight.open(path, "rb")


class _Scan:
    """The iterator `os.scandir` gives."""

    def __init__(self, entries):
        self._entries = iter(entries)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._entries)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        self._entries = iter(())


def scandir(path=None):
    return _Scan(posix._scandir(path))


scandir.__module__ = "posix"
posix.scandir = scandir


class EmbeddedLoader:
    """Runs a module whose source lies in the program itself."""

    def __init__(self, name, path):
        self.name = name
        self.path = path

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        # A package may say what becomes of names that its modules do not have.
        package = sys.modules.get(self.name.partition(".")[0])
        absent = package and package.__dict__.get("__module_getattr__")
        if absent:
            module.__getattr__ = absent(self.name)
        _rushlight.run_embedded(self.path, module.__dict__)

    def get_code(self, name):
        return _rushlight.compile_embedded(self.path)

    def get_source(self, name):
        return _rushlight.source(self.path)

    def get_filename(self, name):
        return _rushlight.ROOT + self.path

    def is_package(self, name):
        return self.path.endswith("/__init__.py")

    def get_resource_reader(self, name):
        return None


class EmbeddedFinder:
    """Finds the modules whose sources lie in the program itself."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        base = name.replace(".", "/")
        file = base + "/__init__.py"
        package = _rushlight.has(file)
        if not package:
            file = base + ".py"
            if not _rushlight.has(file):
                return None
        origin = _rushlight.ROOT + file
        spec = ModuleSpec(name, EmbeddedLoader(name, file), origin=origin, is_package=package)
        spec.has_location = True
        if package:
            spec.submodule_search_locations = [origin.rpartition("/")[0]]
        return spec

    @staticmethod
    def invalidate_caches():
        pass


def _patch_time():
    """`time` with a `sleep` that Stop can end, and with the clocks a browser has."""
    import time

    time.sleep = _rushlight.sleep
    if _rushlight.BROWSER:
        _set_clocks()


def _set_clocks():
    import time

    clock = _rushlight.clock
    started = clock()
    time.monotonic = time.perf_counter = clock
    time.monotonic_ns = time.perf_counter_ns = lambda: int(clock() * 1e9)
    time.process_time = time.thread_time = lambda: clock() - started
    time.process_time_ns = time.thread_time_ns = lambda: int((clock() - started) * 1e9)
    time.time_ns = lambda: int(time.time() * 1e3) * 1_000_000
    local = time.localtime()
    time.timezone = time.altzone = -(local.tm_gmtoff or 0)
    time.daylight = 0
    time.tzname = (local.tm_zone or "UTC",) * 2


def _start():
    sys.meta_path.append(EmbeddedFinder)
    # A learner's own file comes after the library, so that a file named `random.py` breaks nothing.
    _bootstrap._install_external_importers()
    sys.path[:] = []
    sys.dont_write_bytecode = True
    sys.executable = ""
    sys.platform = "linux"
    if _rushlight.BROWSER:
        # As on every machine a learner has met; the browser's own 2**31 - 1 is a matter of its addresses.
        sys.maxsize = 2**63 - 1

    # Modules imported before the importer was there get their files now.
    for name in ("encodings", "encodings.aliases", "codecs", "copyreg"):
        module = sys.modules.get(name)
        if module is not None and (spec := EmbeddedFinder.find_spec(name)) is not None:
            module.__spec__ = spec
            module.__loader__ = spec.loader
            module.__file__ = spec.origin
            if spec.submodule_search_locations is not None:
                module.__path__ = spec.submodule_search_locations

    for name, fd, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        raw = FileIO(fd, mode, False)
        raw.name = f"<{name}>"
        terminal = raw.isatty()
        buffered = (_io.BufferedReader if mode == "r" else _io.BufferedWriter)(raw)
        stream = _io.TextIOWrapper(
            buffered,
            "utf-8",
            "backslashreplace" if fd == 2 else "surrogateescape",
            "\n" if fd else None,
            terminal or fd == 2 or _rushlight.LIVE,
        )
        stream.mode = mode
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)

    _patch_time()
    # Asked for again where a kept interpreter goes on in a later visit.
    _rushlight.set_clocks = _set_clocks


_start()
