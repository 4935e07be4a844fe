"""Recurrent networks: `RNN`, `LSTM`, `GRU`, and their cells."""

import math

from torch import _C
from torch.nn import init
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter

_F = _C._functions
Tensor = _C.Tensor
_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


class RNNBase(Module):
    """What the recurrent networks share: one set of weights for each layer and direction.

    `weight_ih_l0` (gates * hidden, input), `weight_hh_l0` (gates * hidden, hidden), and two biases; for the reverse
    direction with the suffix `_reverse`.
    """

    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, proj_size=0, device=None, dtype=None):
        super().__init__()
        _check_sizes(input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size)
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        if dropout > 0 and num_layers == 1:
            import warnings

            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
                stacklevel=3,
            )
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self._make_weights(_GATES[mode] * hidden_size, device, dtype)
        self.reset_parameters()

    def _make_weights(self, gates, device, dtype):
        directions = 2 if self.bidirectional else 1
        out = self.proj_size if self.proj_size > 0 else self.hidden_size
        self._all_weights = []
        for layer in range(self.num_layers):
            width = self.input_size if layer == 0 else out * directions
            for suffix in ("", "_reverse")[:directions]:
                shapes = {"weight_ih": (gates, width), "weight_hh": (gates, out)}
                if self.bias:
                    shapes.update(bias_ih=(gates,), bias_hh=(gates,))
                if self.proj_size > 0:
                    shapes["weight_hr"] = (self.proj_size, self.hidden_size)
                names = []
                for kind, shape in shapes.items():
                    names.append(f"{kind}_l{layer}{suffix}")
                    setattr(self, names[-1], Parameter(_F.empty(shape, device=device, dtype=dtype)))
                self._all_weights.append(names)

    def flatten_parameters(self):
        """Puts the weights next to each other in a GPU's memory; here there is nothing to do."""

    def reset_parameters(self):
        """All weights uniform between ±1/√hidden_size."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    @property
    def all_weights(self):
        """The weights, a list for each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def _flat_weights(self):
        return [getattr(self, name) for names in self._all_weights for name in names]

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size != 0:
            text += f", proj_size={self.proj_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if self.batch_first is not False:
            text += f", batch_first={self.batch_first}"
        if self.dropout != 0:
            text += f", dropout={self.dropout}"
        if self.bidirectional is not False:
            text += f", bidirectional={self.bidirectional}"
        return text

    def _check_input(self, input, packed):
        if not packed and input.dtype != self._parameters["weight_ih_l0"].dtype:
            raise ValueError(f"RNN input dtype ({input.dtype}) does not match weight dtype "
                             f"({self._parameters['weight_ih_l0'].dtype}). Convert input: "
                             f"input.to({self._parameters['weight_ih_l0'].dtype}), or convert model: "
                             f"model.to({input.dtype})")
        want = 2 if packed else 3
        if input.dim() != want:
            raise RuntimeError(f"input must have {want} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def _hidden_shape(self, batch, width):
        return (self.num_layers * (2 if self.bidirectional else 1), batch, width)

    @staticmethod
    def _check_hidden(hx, expected, text="Expected hidden size {}, got {}"):
        if tuple(hx.size()) != expected:
            raise RuntimeError(text.format(expected, list(hx.size())))

    def _prepare(self, input):
        """(data, batch sizes or None, batch, whether a batch dimension was added, how to sort, how to unsort)."""
        from torch.nn.utils.rnn import PackedSequence

        if isinstance(input, PackedSequence):
            data, batch_sizes, sorted_indices, unsorted_indices = input
            self._check_input(data, True)
            return data, batch_sizes, int(batch_sizes[0]), False, sorted_indices, unsorted_indices
        if input.dim() not in (2, 3):
            word = " tensor" if self.mode.startswith("RNN") else ""
            raise ValueError(
                f"{self._get_name()}: Expected input to be 2D or 3D, got {input.dim()}D{word} instead"
            )
        single = input.dim() == 2
        where = 0 if self.batch_first else 1
        if single:
            input = input.unsqueeze(where)
        self._check_input(input, False)
        return input, None, input.size(where), single, None, None

    def _finish(self, output, batch_sizes, single, sorted_indices, unsorted_indices):
        from torch.nn.utils.rnn import PackedSequence

        if batch_sizes is not None:
            return PackedSequence(output, batch_sizes, sorted_indices, unsorted_indices)
        return output.squeeze(0 if self.batch_first else 1) if single else output


def _check_sizes(input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size):
    if isinstance(dropout, bool) or not isinstance(dropout, (int, float)) or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
        )
    for name, value in (("bias", bias), ("batch_first", batch_first)):
        if not isinstance(value, bool):
            raise TypeError(f"{name} should be of type bool, got: {type(value).__name__}")
    for name, value in (("input_size", input_size), ("hidden_size", hidden_size)):
        if not isinstance(value, int):
            raise TypeError(f"{name} should be of type int, got: {type(value).__name__}")
    if input_size <= 0:
        raise ValueError("input_size must be greater than zero")
    if hidden_size <= 0:
        raise ValueError("hidden_size must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")


def _no_projection(kwargs):
    if "proj_size" in kwargs:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


def _sort(hx, order):
    return hx if order is None else hx.index_select(1, order)


class RNN(RNNBase):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh): (L, N, input), (layers, N, hidden) -> (L, N, hidden), last h."""

    def __init__(self, *args, **kwargs):
        # (input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False, dropout=0.0,
        #  bidirectional=False, device=None, dtype=None)
        _no_projection(kwargs)
        nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if len(args) > 3:
            nonlinearity, args = args[3], args[:3] + args[4:]
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__("RNN_" + nonlinearity.upper(), *args, **kwargs)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        return _simple_forward(self, input, hx, _F.rnn_tanh if self.mode == "RNN_TANH" else _F.rnn_relu)


def _simple_forward(self, input, hx, op):
    """Forward of the networks with one hidden state."""
    data, sizes, batch, single, order, back = self._prepare(input)
    shape = self._hidden_shape(batch, self.hidden_size)
    if hx is None:
        hx = _F.zeros(shape, dtype=data.dtype, device=data.device)
    else:
        if sizes is None:
            if single:
                if hx.dim() != 2:
                    raise RuntimeError(f"For unbatched 2-D input, hx should also be 2-D but got {hx.dim()}-D tensor")
                hx = hx.unsqueeze(1)
            elif hx.dim() != 3:
                raise RuntimeError(f"For batched 3-D input, hx should also be 3-D but got {hx.dim()}-D tensor")
        hx = _sort(hx, order)
    self._check_hidden(hx, shape)
    weights = self._flat_weights()
    if sizes is None:
        output, hidden = op(data, hx, weights, self.bias, self.num_layers, self.dropout, self.training,
                            self.bidirectional, self.batch_first)
    else:
        output, hidden = op(data, sizes, hx, weights, self.bias, self.num_layers, self.dropout, self.training,
                            self.bidirectional)
    output = self._finish(output, sizes, single, order, back)
    return output, (hidden.squeeze(1) if single else _sort(hidden, back))


class GRU(RNNBase):
    """The gated recurrent unit: (L, N, input), (layers, N, hidden) -> (L, N, hidden), last h."""

    def __init__(self, *args, **kwargs):
        # (input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False,
        #  device=None, dtype=None)
        _no_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input, hx=None):
        return _simple_forward(self, input, hx, _F.gru)


class LSTM(RNNBase):
    """Long short-term memory: (L, N, input), (h, c) -> (L, N, hidden), (last h, last c)."""

    def __init__(self, *args, **kwargs):
        # (input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False,
        #  proj_size=0, device=None, dtype=None)
        super().__init__("LSTM", *args, **kwargs)

    def forward(self, input, hx=None):
        data, sizes, batch, single, order, back = self._prepare(input)
        h_shape = self._hidden_shape(batch, self.proj_size if self.proj_size > 0 else self.hidden_size)
        c_shape = self._hidden_shape(batch, self.hidden_size)
        if hx is None:
            hx = (_F.zeros(h_shape, dtype=data.dtype, device=data.device), _F.zeros(c_shape, dtype=data.dtype, device=data.device))
        else:
            if sizes is None:
                dims, word = (2, "unbatched 2-D") if single else (3, "batched 3-D")
                if hx[0].dim() != dims or hx[1].dim() != dims:
                    raise RuntimeError(
                        f"For {word} input, hx and cx should also be {dims}-D but got "
                        f"({hx[0].dim()}-D, {hx[1].dim()}-D) tensors"
                    )
                if single:
                    hx = (hx[0].unsqueeze(1), hx[1].unsqueeze(1))
            hx = (_sort(hx[0], order), _sort(hx[1], order))
        self._check_hidden(hx[0], h_shape, "Expected hidden[0] size {}, got {}")
        self._check_hidden(hx[1], c_shape, "Expected hidden[1] size {}, got {}")
        weights = self._flat_weights()
        if sizes is None:
            output, h, c = _F.lstm(data, hx, weights, self.bias, self.num_layers, self.dropout, self.training,
                                   self.bidirectional, self.batch_first)
        else:
            output, h, c = _F.lstm(data, sizes, hx, weights, self.bias, self.num_layers, self.dropout, self.training,
                                   self.bidirectional)
        output = self._finish(output, sizes, single, order, back)
        if single:
            return output, (h.squeeze(1), c.squeeze(1))
        return output, (_sort(h, back), _sort(c, back))


class RNNCellBase(Module):
    """What the cells share: one step, the loop is yours."""

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        gates = num_chunks * hidden_size
        kind = {"device": device, "dtype": dtype}
        self.weight_ih = Parameter(_F.empty((gates, input_size), **kind))
        self.weight_hh = Parameter(_F.empty((gates, hidden_size), **kind))
        if bias:
            self.bias_ih = Parameter(_F.empty(gates, **kind))
            self.bias_hh = Parameter(_F.empty(gates, **kind))
        else:
            self.register_parameter("bias_ih", None)
            self.register_parameter("bias_hh", None)
        self.reset_parameters()

    def reset_parameters(self):
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def _check(self, input, *hidden):
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for i, h in enumerate(hidden):
            if h.dim() not in (1, 2):
                where = f"hx[{i}]" if len(hidden) > 1 else "hidden"
                raise ValueError(f"{name}: Expected {where} to be 1D or 2D, got {h.dim()}D instead")
        return input.dim() == 2

    def _check_sizes(self, x, *hidden):
        if x.size(1) != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {x.size(1)} expected {self.input_size}")
        for i, h in enumerate(hidden):
            if h.size(0) != x.size(0):
                raise RuntimeError(f"Input batch size {x.size(0)} doesn't match hidden{i} batch size {h.size(0)}")
            if h.size(1) != self.hidden_size:
                raise RuntimeError(
                    f"hidden{i} has inconsistent hidden_size: got {h.size(1)}, expected {self.hidden_size}"
                )

    def _step(self, op, input, hx):
        if hx is None:
            batched = self._check(input)
        else:
            batched = self._check(input, hx)
        x = input if batched else input.unsqueeze(0)
        if hx is None:
            hx = _F.zeros((x.size(0), self.hidden_size), dtype=x.dtype, device=x.device)
        elif not batched:
            hx = hx.unsqueeze(0)
        self._check_sizes(x, hx)
        result = op(x, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return result if batched else result.squeeze(0)


class RNNCell(RNNCellBase):
    """One step of an `RNN`: (N, input), (N, hidden) -> (N, hidden)."""

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(_F.rnn_tanh_cell if self.nonlinearity == "tanh" else _F.rnn_relu_cell, input, hx)


class GRUCell(RNNCellBase):
    """One step of a `GRU`: (N, input), (N, hidden) -> (N, hidden)."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input, hx=None):
        return self._step(_F.gru_cell, input, hx)


class LSTMCell(RNNCellBase):
    """One step of an `LSTM`: (N, input), (h, c) -> (h, c), each (N, hidden)."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input, hx=None):
        if hx is not None and not isinstance(hx, (tuple, list)):
            raise TypeError(f"lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not {type(hx).__name__}")
        batched = self._check(input, *(hx or ()))
        x = input if batched else input.unsqueeze(0)
        if hx is None:
            zeros = _F.zeros((x.size(0), self.hidden_size), dtype=x.dtype, device=x.device)
            hx = (zeros, zeros)
        elif not batched:
            hx = (hx[0].unsqueeze(0), hx[1].unsqueeze(0))
        self._check_sizes(x, *hx)
        h, c = _F.lstm_cell(x, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return (h, c) if batched else (h.squeeze(0), c.squeeze(0))
