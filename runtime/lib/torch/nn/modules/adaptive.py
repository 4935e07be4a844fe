"""`AdaptiveLogSoftmaxWithLoss`: a softmax over many classes, of which the rare ones share smaller layers."""

from collections import namedtuple

from torch import _C
from torch.nn import functional as F
from torch.nn.modules.container import ModuleList, Sequential
from torch.nn.modules.linear import Linear
from torch.nn.modules.module import Module

_F = _C._functions
_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Classes sorted by frequency, cut into clusters: the first is asked at once, each other behind one output."""

    def __init__(self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None):
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        rising = cutoffs == sorted(cutoffs) and len(set(cutoffs)) == len(cutoffs)
        if not rising or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1 or any(int(c) != c for c in cutoffs):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is between 1 and n_classes-1"
            )
        kind = {"device": device, "dtype": dtype}
        self.in_features, self.n_classes = in_features, n_classes
        self.cutoffs = cutoffs + [n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, **kind)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            hidden = int(in_features // div_value ** (i + 1))
            count = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(Sequential(Linear(in_features, hidden, bias=False, **kind),
                                        Linear(hidden, count, bias=False, **kind)))

    def reset_parameters(self):
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input, target):
        """The log-probability of each target, and minus their mean."""
        batched = target.dim() > 0
        if batched:
            if input.shape[0] != target.shape[0]:
                raise RuntimeError("Input and target should have the same size in the batch dimension.")
            if input.dim() != 2:
                raise RuntimeError(
                    f"1D target tensor expects 2D input tensors, but found inputs with size {input.size()}"
                )
        elif input.dim() != 1:
            raise RuntimeError(f"0D target tensor expects 1D input tensors, but found inputs with size {input.size()}")
        x, t = (input, target) if batched else (input.unsqueeze(0), target.unsqueeze(0))
        low, high = int(t.min()), int(t.max())
        if t.numel() and (low < 0 or high >= self.n_classes):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{low}, {high}] were found. "
            )
        output = input.new_zeros(t.shape[0])
        index = t.new_empty(t.shape[0])
        starts = [0] + self.cutoffs
        for i in range(len(starts) - 1):
            rows = ((t >= starts[i]) & (t < starts[i + 1])).nonzero().squeeze(-1)
            if not rows.numel():
                continue
            if i == 0:
                index.index_copy_(0, rows, t[rows])
                continue
            log_probs = F.log_softmax(self.tail[i - 1](x.index_select(0, rows)), dim=1)
            index.index_fill_(0, rows, self.shortlist_size + i - 1)
            inside = (t[rows] - starts[i]).unsqueeze(1)
            output = output.index_copy(0, rows, log_probs.gather(1, inside).squeeze(1))
        head = F.log_softmax(self.head(x), dim=1)
        output = output + head.gather(1, index.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _full(self, input, head):
        result = input.new_empty((head.size(0), self.n_classes))
        logs = F.log_softmax(head, dim=1)
        result[:, :self.shortlist_size] = logs[:, :self.shortlist_size]
        for i, (start, stop) in enumerate(zip(self.cutoffs, self.cutoffs[1:])):
            cluster = F.log_softmax(self.tail[i](input), dim=1)
            result[:, start:stop] = cluster + logs[:, self.shortlist_size + i].unsqueeze(1)
        return result

    def log_prob(self, input):
        """Log-probabilities of all classes: (N, in_features) -> (N, n_classes)."""
        return self._full(input, self.head(input))

    def predict(self, input):
        """The likeliest class of each row."""
        head = self.head(input)
        best = head.argmax(dim=1)
        rare = best >= self.shortlist_size
        if not rare.any():
            return best
        if rare.all():
            return self._full(input, head).argmax(dim=1)
        best[rare] = self._full(input[rare], head[rare]).argmax(dim=1)
        return best
