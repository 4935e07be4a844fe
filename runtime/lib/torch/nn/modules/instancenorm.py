"""Instance normalisation: each channel of each example to mean 0 and variance 1."""

from torch.nn import functional as F
from torch.nn.functional._common import warn
from torch.nn.modules.batchnorm import _LazyNorm, _NormBase

__all__ = [
    "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _InstanceNorm(_NormBase):
    _dims = ()

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None,
                 dtype=None, *, bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input):
        self._check_input_dim(input)
        unbatched = input.dim() == self._dims[0]
        x = input.unsqueeze(0) if unbatched else input
        if x.size(1) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={0 if unbatched else 1} to match num_features "
                    f"({self.num_features}), but got: {x.size(1)}."
                )
            warn(
                f"input's size at dim={0 if unbatched else 1} does not match num_features. You can silence this "
                "warning by not passing in num_features, which is not used because affine=False", 3
            )
        out = F.instance_norm(x, self.running_mean, self.running_var, self.weight, self.bias,
                              self.training or not self.track_running_stats,
                              0.0 if self.momentum is None else self.momentum, self.eps)
        return out.squeeze(0) if unbatched else out

    def _check_input_dim(self, input):
        low, high = self._dims
        if input.dim() not in (low, high):
            raise ValueError(f"expected {low}D or {high}D input (got {input.dim()}D input)")


class InstanceNorm1d(_InstanceNorm):
    """Each channel of each example of (N, C, L) to mean 0 and variance 1."""

    _dims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Each channel of each example of (N, C, H, W) to mean 0 and variance 1."""

    _dims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Each channel of each example of (N, C, D, H, W) to mean 0 and variance 1."""

    _dims = (4, 5)


class LazyInstanceNorm1d(_LazyNorm, InstanceNorm1d):
    """`InstanceNorm1d` that takes `num_features` from its first input."""

    cls_to_become = InstanceNorm1d

    def _channel_dim(self, input):
        return 0 if input.dim() == 2 else 1


class LazyInstanceNorm2d(_LazyNorm, InstanceNorm2d):
    """`InstanceNorm2d` that takes `num_features` from its first input."""

    cls_to_become = InstanceNorm2d

    def _channel_dim(self, input):
        return 0 if input.dim() == 3 else 1


class LazyInstanceNorm3d(_LazyNorm, InstanceNorm3d):
    """`InstanceNorm3d` that takes `num_features` from its first input."""

    cls_to_become = InstanceNorm3d

    def _channel_dim(self, input):
        return 0 if input.dim() == 4 else 1
