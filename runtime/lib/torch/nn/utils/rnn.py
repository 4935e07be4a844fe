"""Sequences of different lengths in one batch: padded with a value, or packed without any padding."""

from collections import namedtuple

from torch import _C

_F = _C._functions
Tensor = _C.Tensor
_Packed = namedtuple("PackedSequence", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"])


class PackedSequence(_Packed):
    """All steps of all sequences in one tensor, step by step: `batch_sizes` says how many sequences reach each step."""

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if batch_sizes is None:
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args, **kwargs):
        """With the data on another device or in another dtype."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else type(self)(data, *self[1:])

    def cpu(self):
        return self.to("cpu")

    def cuda(self, *args, **kwargs):
        return type(self)(self.data.cuda(*args, **kwargs), *self[1:])

    def _as(self, dtype):
        return type(self)(self.data.to(dtype), *self[1:])

    def double(self):
        return self._as(_C.float64)

    def float(self):
        return self._as(_C.float32)

    def half(self):
        return self._as(_C.float16)

    def long(self):
        return self._as(_C.int64)

    def int(self):
        return self._as(_C.int32)

    @property
    def is_cuda(self):
        return self.data.is_cuda


def invert_permutation(permutation):
    """The order that undoes another."""
    if permutation is None:
        return None
    output = _F.empty_like(permutation)
    output.scatter_(0, permutation, _F.arange(0, permutation.numel()))
    return output


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Packs a padded batch (T, B, *), or (B, T, *) with `batch_first`; `lengths` are the sequences' own."""
    if not isinstance(lengths, Tensor):
        lengths = _F.tensor(list(lengths), dtype=_C.int64)
    if enforce_sorted:
        order = None
    else:
        lengths, order = _F.sort(lengths, descending=True)
        input = input.index_select(0 if batch_first else 1, order)
    if batch_first:
        input = input.transpose(0, 1)
    sizes = _batch_sizes(input, [int(n) for n in lengths.tolist()], lengths.numel())
    # Step t has the first sizes[t] sequences; equal steps are cut out together.
    pieces = []
    start = 0
    while start < len(sizes):
        end = start
        while end < len(sizes) and sizes[end] == sizes[start]:
            end += 1
        piece = input[start:end, :sizes[start]]
        pieces.append(piece.reshape((-1,) + tuple(input.size()[2:])))
        start = end
    return PackedSequence(_F.cat(pieces), _F.tensor(sizes, dtype=_C.int64), order, None)


def _batch_sizes(input, lengths, count):
    if input.size(1) != count:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {count} (batch_size={input.size(1)})"
        )
    if lengths and min(lengths) <= 0:
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0")
    if any(a < b for a, b in zip(lengths, lengths[1:])):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability."
        )
    if lengths[0] > input.size(0):
        raise RuntimeError(f"Expected sequence length to be at most {input.size(0)} (the padded length), but got "
                           f"{lengths[0]}")
    return [sum(1 for n in lengths if n > t) for t in range(lengths[0])]


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """The padded batch again, and the lengths."""
    data, batch_sizes, unsorted = sequence.data, sequence.batch_sizes, sequence.unsorted_indices
    sizes = batch_sizes.tolist()
    length = len(sizes)
    if total_length is not None:
        if total_length < length:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {length}"
            )
        length = total_length
    batch = sizes[0]
    lengths = [sum(1 for n in sizes if n > i) for i in range(batch)]
    output = _F.full((length, batch) + tuple(data.size()[1:]), padding_value, dtype=data.dtype, device=data.device)
    offset = start = 0
    while start < len(sizes):
        end = start
        while end < len(sizes) and sizes[end] == sizes[start]:
            end += 1
        n = (end - start) * sizes[start]
        output[start:end, :sizes[start]] = data[offset:offset + n].view(
            (end - start, sizes[start]) + tuple(data.size()[1:])
        )
        offset += n
        start = end
    lengths = _F.tensor(lengths, dtype=_C.int64)
    if batch_first:
        output = output.transpose(0, 1)
    if unsorted is not None:
        return output.index_select(0 if batch_first else 1, unsorted), lengths[unsorted]
    return output, lengths


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Tensors of different lengths (L_i, *) in one: (T, B, *), or (B, T, *) with `batch_first`."""
    if isinstance(sequences, Tensor):
        sequences = sequences.unbind(0)
    elif not hasattr(sequences, "__iter__"):
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    sequences = list(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    length = max(s.size(0) for s in sequences)
    rest = tuple(sequences[0].size()[1:])
    shape = (len(sequences), length) if batch_first else (length, len(sequences))
    output = _F.full(shape + rest, padding_value, dtype=sequences[0].dtype, device=sequences[0].device)
    for i, s in enumerate(sequences):
        n = s.size(0)
        where = slice(0, n) if padding_side == "right" else slice(length - n, length)
        if batch_first:
            output[i, where] = s
        else:
            output[where, i] = s
    return output


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """The sequences of a padded batch, each in its own length."""
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    return [seq[:int(n)] for seq, n in zip(padded_sequences, lengths)]


def pack_sequence(sequences, enforce_sorted=True):
    """Packs a list of tensors (L_i, *)."""
    lengths = _F.tensor([s.size(0) for s in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """The sequences of a packed batch, each in its own length."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
