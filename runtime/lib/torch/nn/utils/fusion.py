"""A batch norm that follows a layer, worked into the layer's weights: for evaluation."""

import copy

from torch import _C
from torch.nn.parameter import Parameter

_F = _C._functions


def _fused(weight, bias, mean, var, eps, gamma, beta, shape):
    scale = _F.rsqrt(var + eps)
    if bias is None:
        bias = _F.zeros_like(mean)
    gamma = _F.ones_like(mean) if gamma is None else gamma
    beta = _F.zeros_like(mean) if beta is None else beta
    factor = gamma * scale
    new_weight = (weight * factor.reshape(shape)).to(dtype=weight.dtype)
    new_bias = ((bias - mean) * factor + beta).to(dtype=bias.dtype)
    return Parameter(new_weight, weight.requires_grad), Parameter(new_bias, bias.requires_grad)


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    """Weight and bias of a convolution that does what it and the batch norm did."""
    shape = [1, -1] if transpose else [-1, 1]
    shape += [1] * (conv_w.dim() - 2)
    return _fused(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, shape)


def fuse_conv_bn_eval(conv, bn, transpose=False):
    """A copy of the convolution that does what it and the batch norm do in evaluation."""
    if conv.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    fused = copy.deepcopy(conv)
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose)
    return fused


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    """Weight and bias of a linear layer that does what it and the batch norm did."""
    return _fused(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, [-1, 1])


def fuse_linear_bn_eval(linear, bn):
    """A copy of the linear layer that does what it and the batch norm do in evaluation."""
    if linear.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    fused = copy.deepcopy(linear)
    if not (linear.out_features == bn.num_features or bn.num_features == 1):
        raise AssertionError("To fuse, linear.out_features == bn.num_features or bn.num_features == 1")
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
    return fused
