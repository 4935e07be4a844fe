"""Arrays in files: text, `.npy`, `.npz`."""

import io

from numpy import _hub
from numpy._dtype import dtype as Dtype
from numpy._make import array, asarray, from_bytes, to_bytes

_MAGIC = b"\x93NUMPY"


def _write(file, a):
    header = repr({"descr": a._dt.str, "fortran_order": False, "shape": a.shape})
    header = header.encode("latin1")
    room = 64 - (len(_MAGIC) + 4 + len(header) + 1) % 64
    header += b" " * (room % 64) + b"\n"
    file.write(_MAGIC + b"\x01\x00" + len(header).to_bytes(2, "little") + header + to_bytes(a))


def _read(file, allow_pickle=False):
    if file.read(6) != _MAGIC:
        raise ValueError("This file contains pickled (object) data. If you trust the file you can load it unsafely "
                         "using the `allow_pickle=` keyword argument or `pickle.load()`.")
    version = file.read(2)
    size = int.from_bytes(file.read(2 if version[0] == 1 else 4), "little")
    import ast

    header = ast.literal_eval(file.read(size).decode("latin1").strip())
    dt = Dtype(header["descr"])
    if dt.kind == "O":
        raise ValueError("Object arrays cannot be loaded when allow_pickle=False" if not allow_pickle else
                         "files of object arrays can't be read here")
    shape = header["shape"]
    n = 1
    for s in shape:
        n *= s
    flat = from_bytes(file.read(n * dt.itemsize), dt)
    return flat.reshape(shape[::-1]).T if header["fortran_order"] else flat.reshape(shape)


def save(file, arr, allow_pickle=True):
    """Write an array to a `.npy` file."""
    a = asarray(arr)
    if a._dt.kind == "O":
        raise NotImplementedError("object arrays can't be saved here")
    if hasattr(file, "write"):
        return _write(file, a)
    name = str(file)
    with open(name if name.endswith(".npy") else name + ".npy", "wb") as f:
        _write(f, a)


def savez(file, *args, **kwds):
    """Write several arrays to a `.npz` file."""
    _savez(file, args, kwds, False)


def savez_compressed(file, *args, **kwds):
    """Write several arrays to a `.npz` file, compressed."""
    _savez(file, args, kwds, True)


def _savez(file, args, kwds, compress):
    import zipfile

    named = {f"arr_{i}": a for i, a in enumerate(args)}
    named.update(kwds)
    if not hasattr(file, "write"):
        file = str(file) if str(file).endswith(".npz") else str(file) + ".npz"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED) as z:
        for name, a in named.items():
            part = io.BytesIO()
            save(part, a)
            z.writestr(name + ".npy", part.getvalue())


class NpzFile:
    """The arrays of a `.npz` file by their names."""

    def __init__(self, file, name="object"):
        import zipfile

        self._zip = zipfile.ZipFile(file)
        self.files = [n[:-4] if n.endswith(".npy") else n for n in self._zip.namelist()]
        self._name = name

    def __getitem__(self, key):
        if key not in self.files:
            raise KeyError(f"{key} is not a file in the archive")
        return _read(io.BytesIO(self._zip.read(key + ".npy")))

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __contains__(self, key):
        return key in self.files

    def keys(self):
        return list(self.files)

    def items(self):
        return [(k, self[k]) for k in self.files]

    def close(self):
        self._zip.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def __repr__(self):
        return f"NpzFile {self._name!r} with keys: {', '.join(self.files)}"


def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *, max_header_size=10000):
    """Read a `.npy` or `.npz` file."""
    if hasattr(file, "read"):
        start = file.read(4)
        file.seek(0)
        return NpzFile(file) if start[:2] == b"PK" else _read(file, allow_pickle)
    with open(str(file), "rb") as f:
        data = f.read()
    return NpzFile(io.BytesIO(data), str(file)) if data[:2] == b"PK" else _read(io.BytesIO(data), allow_pickle)


def _lines(fname):
    if isinstance(fname, str) or hasattr(fname, "__fspath__"):
        with open(fname, encoding="utf-8") as f:
            return f.read().splitlines()
    return [line.decode("utf-8") if isinstance(line, bytes) else line for line in fname]


def loadtxt(fname, dtype=float, comments="#", delimiter=None, converters=None, skiprows=0, usecols=None, unpack=False,
            ndmin=0, encoding=None, max_rows=None, *, quotechar=None, like=None):
    """Numbers from a text."""
    rows = _rows(_lines(fname)[skiprows:], comments, delimiter)
    if max_rows is not None:
        rows = rows[:max_rows]
    dt = Dtype(dtype)
    out = []
    for n, row in enumerate(rows):
        if out and usecols is None and len(row) != len(rows[0]):
            raise ValueError(f"the number of columns changed from {len(rows[0])} to {len(row)} at row {n + 1}; use "
                             "`usecols` to select a subset and avoid this error")
        if usecols is not None:
            row = [row[i] for i in ([usecols] if isinstance(usecols, int) else usecols)]
        try:
            if converters:
                row = [converters[i](v) if i in converters else v for i, v in enumerate(row)]
            out.append([float(v) if dt.kind == "f" else int(v) if dt.kind in "iu" else v for v in row])
        except ValueError:
            bad, at = next((v, i) for i, v in enumerate(row) if not _is_number(v, dt))
            raise ValueError(f"could not convert string {bad!r} to {dt.name} at row {n}, column {at + 1}.") from None
    a = array(out, dt)
    if a.ndim == 2 and ndmin < 2:
        a = a.squeeze() if 1 in a.shape else a
    if ndmin == 2 and a.ndim < 2:
        a = a.reshape(len(out), -1)
    return a.T if unpack else a


def _is_number(text, dt):
    try:
        float(text) if dt.kind == "f" else int(text)
        return True
    except (ValueError, TypeError):
        return False


def _rows(lines, comments, delimiter):
    rows = []
    for line in lines:
        if comments:
            for mark in [comments] if isinstance(comments, str) else comments:
                line = line.partition(mark)[0]
        line = line.strip("\r\n")
        if line.strip():
            parts = line.split(delimiter)
            rows.append([p.strip() for p in parts])
    return rows


def genfromtxt(fname, dtype=float, comments="#", delimiter=None, skip_header=0, skip_footer=0, converters=None,
               missing_values=None, filling_values=None, usecols=None, names=None, unpack=None, encoding=None, **more):
    """Numbers from a text that has gaps."""
    if names or dtype is None or more:
        raise NotImplementedError("np.genfromtxt with names or dtype=None is not available here")
    lines = _lines(fname)[skip_header:]
    rows = _rows(lines[:len(lines) - skip_footer], comments, delimiter)
    dt = Dtype(dtype)
    missing = float("nan") if dt.kind == "f" else -1 if dt.kind in "iu" else ""
    missing = missing if filling_values is None else filling_values
    out = []
    for row in rows:
        if usecols is not None:
            row = [row[i] for i in ([usecols] if isinstance(usecols, int) else usecols)]
        out.append([(float(v) if dt.kind == "f" else int(v) if dt.kind in "iu" else v) if dt._boxed or
                    _is_number(v, dt) else missing for v in row])
    a = array(out, dt)
    a = a.squeeze() if 1 in a.shape else a
    return a.T if unpack else a


def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None):
    """Numbers as a text."""
    a = asarray(X)
    a = a[:, None] if a.ndim == 1 else a
    lines = [comments + line for line in header.split("\n")] if header else []
    for row in a.tolist():
        if isinstance(fmt, (list, tuple)):
            lines.append(delimiter.join(f % v for f, v in zip(fmt, row)))
        elif fmt.count("%") > 1:
            lines.append(fmt % tuple(row))
        else:
            lines.append(delimiter.join(fmt % v for v in row))
    if footer:
        lines += [comments + line for line in footer.split("\n")]
    text = "".join(line + newline for line in lines)
    if hasattr(fname, "write"):
        try:
            fname.write(text)
        except TypeError:
            fname.write(text.encode("utf-8"))
        return
    with open(fname, "w", encoding=encoding or "utf-8") as f:
        f.write(text)


def fromstring(string, dtype=float, count=-1, *, sep, like=None):
    """Numbers of a text."""
    parts = string.split() if sep.isspace() else string.split(sep.strip())
    dt = Dtype(dtype)
    flat = [float(p) if dt.kind == "f" else int(p) for p in parts if p.strip()]
    return array(flat if count < 0 else flat[:count], dt)


def fromfile(file, dtype=float, count=-1, sep="", offset=0, *, like=None):
    """Numbers of a file of raw bytes."""
    if hasattr(file, "read"):
        data = file.read()
    else:
        with open(file, "rb") as f:
            data = f.read()
    if sep:
        return fromstring(data.decode(), dtype, count, sep=sep)
    dt = Dtype(dtype)
    data = data[offset:]
    n = len(data) // dt.itemsize if count < 0 else count
    return from_bytes(data[:n * dt.itemsize], dt)


def _tofile(self, fid, sep="", format="%s"):
    data = to_bytes(self)
    if sep:
        data = sep.join(str(x) for x in self.ravel()).encode()
    if hasattr(fid, "write"):
        fid.write(data)
    else:
        with open(fid, "wb") as f:
            f.write(data)


_hub.ndarray.tofile = _tofile
