"""The connectionist temporal classification loss: all ways to write a target along a line, added up."""

from torch import _C
from torch._composite import one_node

_F = _C._functions
Tensor = _C.Tensor
_NEVER = float("-inf")


def _log_add(*terms):
    return _F.logsumexp(_F.stack(terms), 0)


def _shifted(x, by):
    """`x` moved by `by` places along its last dimension, impossible where nothing comes from."""
    edge = _F.full((*x.shape[:-1], abs(by)), _NEVER, dtype=x.dtype, device=x.device)
    return _F.cat([edge, x[..., :-by]], -1) if by > 0 else _F.cat([x[..., -by:], edge], -1)


class _Lattice:
    """The targets with blanks between their symbols, and where a step may leave out the blank."""

    def __init__(self, targets, target_lengths, blank):
        n, s = targets.shape
        self.lengths = target_lengths
        self.symbols = _F.full((n, 2 * s + 1), blank, dtype=_C.int64)
        self.symbols[:, 1::2] = targets
        may = _F.zeros((n, 2 * s + 1), dtype=_C.bool)
        may[:, 2:] = (self.symbols[:, 2:] != blank) & (self.symbols[:, 2:] != self.symbols[:, :-2])
        self.skip = _F.zeros(may.shape).masked_fill(~may, _NEVER)
        places = _F.arange(2 * s + 1)
        last = 2 * target_lengths.unsqueeze(1)
        self.ends = (places == last) | (places == last - 1)
        self.within = places <= last

    def emitted(self, log_probs):
        """(T, N, 2S + 1): the log probability of each place of the lattice at each time."""
        return log_probs.gather(2, self.symbols.expand(log_probs.size(0), -1, -1))

    def forward(self, lp, input_lengths):
        """Log probabilities of all ways to each place; past the end of a line they stand still."""
        start = _F.arange(lp.size(2)) < 2
        skip = self.skip.to(lp.dtype)
        a = lp[0].masked_fill(~(start & self.within), _NEVER)
        rows = [a]
        for t in range(1, lp.size(0)):
            new = _log_add(a, _shifted(a, 1), _shifted(a, 2) + skip) + lp[t]
            new = new.masked_fill(~self.within, _NEVER)
            a = _F.where((t < input_lengths).unsqueeze(1), new, a)
            rows.append(a)
        return _F.stack(rows)

    def backward(self, lp, input_lengths):
        """Log probabilities of all ways from each place to the end."""
        skip = _shifted(self.skip.to(lp.dtype), -2)
        b = _F.full(lp.shape[1:], _NEVER, dtype=lp.dtype, device=lp.device)
        rows = []
        for t in range(lp.size(0) - 1, -1, -1):
            new = _log_add(b, _shifted(b, -1), _shifted(b, -2) + skip) + lp[t]
            last = (t == input_lengths - 1).unsqueeze(1)
            b = _F.where(last, lp[t].masked_fill(~self.ends, _NEVER), new)
            b = _F.where((t < input_lengths).unsqueeze(1), b, _F.full_like(b, _NEVER))
            rows.append(b)
        return _F.stack(rows[::-1])


def _losses(lattice, log_probs, input_lengths):
    alphas = lattice.forward(lattice.emitted(log_probs), input_lengths)
    ends = alphas[-1].masked_fill(~lattice.ends, _NEVER)
    losses = -_F.logsumexp(ends, -1)
    # A line without any time fits the empty target only.
    none = _F.where(lattice.lengths == 0, 0.0, float("inf")).to(losses.dtype)
    return alphas, _F.where(input_lengths == 0, none, losses)


def _refuse(inputs, grads):
    raise RuntimeError("derivative for aten::_ctc_loss_backward is not implemented")


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=1, zero_infinity=False):
    """Minus the log probability of the targets (N, S), or one after the other, under `log_probs` (T, N, C)."""
    if log_probs.dim() not in (2, 3):
        raise RuntimeError(f"log_probs tensor must be 2D or 3D, got {log_probs.dim()}D")
    single = log_probs.dim() == 2
    lines = log_probs.unsqueeze(1) if single else log_probs
    as_lengths = lambda v: (v if isinstance(v, Tensor) else _F.tensor(v)).to(_C.int64).reshape(-1)
    input_lengths, target_lengths = as_lengths(input_lengths), as_lengths(target_lengths)
    time, n, classes = lines.shape
    if not lines.is_floating_point():
        raise RuntimeError('"ctc_loss_cpu" not implemented for ' + f"'{str(lines.dtype)}'")
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    if input_lengths.numel() != n:
        raise RuntimeError("input_lengths must be of size batch_size")
    if target_lengths.numel() != n:
        raise RuntimeError("target_lengths must be of size batch_size")
    for b, size in enumerate(input_lengths.tolist()):
        if size < 0:
            raise RuntimeError(f"Expected input_lengths to have value at least 0, but got value {size} (while checking arguments for ctc_loss_cpu)")
        if size > time:
            raise RuntimeError(
                f"Expected input_lengths to have value at most {time}, but got value {size} (while checking arguments "
                "for ctc_loss_cpu)"
            )
    longest = int(target_lengths.max()) if n else 0
    if targets.dim() == 1 and not (single and n == 1 and targets.numel() >= longest and target_lengths.numel() == 1):
        if targets.numel() != int(target_lengths.sum()):
            raise RuntimeError(
                f"Expected tensor to have size {int(target_lengths.sum())} at dimension 0, but got size "
                f"{targets.numel()} for argument #2 'targets' (while checking arguments for ctc_loss_cpu)"
            )
        parts = targets.split(target_lengths.tolist())
        rows = [_C._nn.pad(p, (0, longest - p.numel()), value=blank) for p in parts]
        targets = _F.stack(rows) if rows else targets.new_zeros(0, 0)
    elif targets.dim() == 1:
        targets = targets.unsqueeze(0)
    if targets.size(1) < longest:
        raise RuntimeError(
            f"Expected tensor to have size at least {longest} at dimension 1, but got size {targets.size(1)} for "
            "argument #2 'targets' (while checking arguments for ctc_loss_cpu)"
        )
    targets = targets[:, :longest].to(_C.int64)
    lattice = _Lattice(targets.clamp(0, classes - 1), target_lengths, blank)

    def forward(lp):
        return _losses(lattice, lp, input_lengths)[1]

    def backward(inputs, grads):
        lp = inputs[0].detach()
        emitted = lattice.emitted(lp)
        alphas, losses = _losses(lattice, lp, input_lengths)
        both = alphas + lattice.backward(emitted, input_lengths)
        # For each symbol the ways through all of its places, as parts of all ways.
        ways = (both - emitted + losses.unsqueeze(1)).exp().nan_to_num(0.0, 0.0, 0.0)
        shares = _F.zeros_like(lp).scatter_add(2, lattice.symbols.expand(time, -1, -1), ways)
        slope = (lp.exp() - shares) * grads[0].detach().unsqueeze(1)
        slope = slope * (_F.arange(time).unsqueeze(1) < input_lengths).unsqueeze(2)
        lost = (losses == float("inf")).unsqueeze(1)
        slope = slope.masked_fill(lost, 0.0 if zero_infinity else float("nan"))
        return [one_node("torch::autograd::NotImplemented", lambda *given: slope, inputs[0], grads[0], backward=_refuse)]

    losses = one_node("CtcLossBackward0", forward, lines, backward=backward)
    if zero_infinity:
        losses = _F.where(losses == float("inf"), _F.zeros((), dtype=losses.dtype, device=losses.device), losses)
    if reduction == 1:
        return (losses / target_lengths.clamp(min=1).to(losses.dtype)).mean()
    if reduction == 2:
        return losses.sum()
    return losses.squeeze(0) if single else losses
