"""Convolutions and transposed convolutions, in one, two and three dimensions."""

import math

from torch import _C
from torch.nn import init
from torch.nn.modules.lazy import LazyMixin
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter, UninitializedParameter

__all__ = [
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv1d", "LazyConv2d",
    "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d",
]
_F = _C._functions
_empty = _F.empty


def _tuple(value, n):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * n


class _ConvNd(Module):
    """What all convolutions share. `_dims` is the number of spatial dimensions, `_op` the native function's name."""

    _dims = 0
    _op = ""
    _transposed = False

    def _setup(self, in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups, bias,
               padding_mode, device, dtype):
        Module.__init__(self)
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        n = self._dims
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}")
            if padding == "same" and any(s != 1 for s in _tuple(stride, n)):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise ValueError(
                "padding_mode must be one of {'zeros', 'reflect', 'replicate', 'circular'}, "
                f"but got padding_mode='{padding_mode}'"
            )
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride, self.dilation = (_tuple(v, n) for v in (kernel_size, stride, dilation))
        self.padding = padding if isinstance(padding, str) else _tuple(padding, n)
        self.transposed = self._transposed
        self.output_padding = _tuple(output_padding, n)
        self.groups, self.padding_mode = groups, padding_mode
        self._reversed_padding_repeated_twice = self._both_sides()
        self.weight = Parameter(_empty(self._weight_shape(), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(_empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _weight_shape(self):
        first, second = (self.in_channels, self.out_channels) if self._transposed else (
            self.out_channels, self.in_channels)
        return (first, second // self.groups) + self.kernel_size

    def _both_sides(self):
        """The padding as `F.pad` wants it: from the last dimension to the first, before and behind."""
        if isinstance(self.padding, str):
            result = [0, 0] * self._dims
            if self.padding == "same":
                for i, (d, k) in enumerate(zip(reversed(self.dilation), reversed(self.kernel_size))):
                    total = d * (k - 1)
                    result[2 * i], result[2 * i + 1] = total // 2, total - total // 2
            return result
        return [p for p in reversed(self.padding) for _ in range(2)]

    def reset_parameters(self):
        """Weight and bias uniform between ±1/√(inputs of one output)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self):
        n = self._dims
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * n:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * n:
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * n:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class _Conv(_ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        self._setup(in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias, padding_mode,
                    device, dtype)

    def forward(self, input):
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input, weight, bias):
        op = getattr(_F, self._op)
        if self.padding_mode != "zeros":
            input = _C._nn.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return op(input, weight, bias, self.stride, (0,) * self._dims, self.dilation, self.groups)
        return op(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)


class Conv1d(_Conv):
    """(N, C_in, L) -> (N, C_out, L_out); `weight` is (C_out, C_in / groups, k)."""

    _dims, _op = 1, "conv1d"


class Conv2d(_Conv):
    """(N, C_in, H, W) -> (N, C_out, H_out, W_out); `weight` is (C_out, C_in / groups, kh, kw)."""

    _dims, _op = 2, "conv2d"


class Conv3d(_Conv):
    """(N, C_in, D, H, W) -> (N, C_out, D_out, H_out, W_out)."""

    _dims, _op = 3, "conv3d"


class _ConvTranspose(_ConvNd):
    _transposed = True

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1,
                 bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        self._setup(in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups, bias,
                    padding_mode, device, dtype)

    def forward(self, input, output_size=None):
        extra = self.output_padding if output_size is None else self._output_padding(input, output_size)
        return getattr(_F, self._op)(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups,
                                     self.dilation)

    def _output_padding(self, input, output_size):
        """How much to add at the end so that the output has the size that is asked for."""
        n = self._dims
        output_size = tuple(output_size)
        batched = input.dim() == n + 2
        if len(output_size) == n + (2 if batched else 1):
            output_size = output_size[-n:]
        if len(output_size) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or "
                f"{n + (2 if batched else 1)} elements (got {len(output_size)})"
            )
        low = [
            (input.size(d - n) - 1) * self.stride[d] - 2 * self.padding[d]
            + self.dilation[d] * (self.kernel_size[d] - 1) + 1 for d in range(n)
        ]
        high = [low[d] + self.stride[d] - 1 for d in range(n)]
        if any(not a <= size <= b for a, size, b in zip(low, output_size, high)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {low} to {high} "
                f"(for an input of {input.size()[2:]})"
            )
        return tuple(size - a for size, a in zip(output_size, low))


class ConvTranspose1d(_ConvTranspose):
    """The gradient of `Conv1d` as a layer: (N, C_in, L) -> (N, C_out, L_out), larger with stride."""

    _dims, _op = 1, "conv_transpose1d"


class ConvTranspose2d(_ConvTranspose):
    """The gradient of `Conv2d` as a layer: (N, C_in, H, W) -> (N, C_out, H_out, W_out), larger with stride."""

    _dims, _op = 2, "conv_transpose2d"


class ConvTranspose3d(_ConvTranspose):
    """The gradient of `Conv3d` as a layer."""

    _dims, _op = 3, "conv_transpose3d"


class _Lazy(LazyMixin):
    """Takes `in_channels` from the first input."""

    def _make_lazy(self, out_channels, bias, device, dtype):
        self.out_channels = out_channels
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self):
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input, *args, **kwargs):
        n = self._dims
        if input.dim() not in (n + 1, n + 2):
            raise RuntimeError(
                f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {type(self).__name__}, but got input of "
                f"size: {input.shape}"
            )
        self.in_channels = input.shape[-n - 1]
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        self.weight = Parameter(_empty(self._weight_shape(), dtype=self.weight.dtype))
        if self.bias is not None:
            self.bias = Parameter(_empty(self.out_channels, dtype=self.bias.dtype))
        self.reset_parameters()


class _LazyConv(_Lazy):
    def __init__(self, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode)
        self._make_lazy(out_channels, bias, device, dtype)


class _LazyConvTranspose(_Lazy):
    def __init__(self, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True,
                 dilation=1, padding_mode="zeros", device=None, dtype=None):
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode)
        self._make_lazy(out_channels, bias, device, dtype)


def _lazy(base, real):
    return type("Lazy" + real.__name__, (base, real), {
        "cls_to_become": real, "__module__": __name__,
        "__doc__": f"`{real.__name__}` that takes `in_channels` from its first input.",
    })


LazyConv1d, LazyConv2d, LazyConv3d = (_lazy(_LazyConv, c) for c in (Conv1d, Conv2d, Conv3d))
LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = (
    _lazy(_LazyConvTranspose, c) for c in (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
)
