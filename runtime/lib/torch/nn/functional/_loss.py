"""Losses: how far a prediction is from its target, as a mean (the default), a sum, or for each element."""

from torch import _C
from torch.nn.functional._common import apply_reduction, old_reduction, reduction_number, warn

__all__ = [
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "cross_entropy", "linear_cross_entropy",
    "nll_loss", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "kl_div", "poisson_nll_loss", "gaussian_nll_loss", "hinge_embedding_loss",
    "margin_ranking_loss", "cosine_embedding_loss", "soft_margin_loss", "multi_margin_loss", "multilabel_margin_loss",
    "multilabel_soft_margin_loss", "triplet_margin_loss", "triplet_margin_with_distance_loss", "ctc_loss",
]
_F = _C._functions
_N = _C._nn
Tensor = _C.Tensor


def _same_shape(input, target):
    """Both expanded to one shape, with a warning when they were not equal."""
    if target.size() == input.size():
        return input, target
    warn(
        f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size."
    )
    return _F.broadcast_tensors([input, target])


def _weighted(loss, weight, reduction):
    """A pointwise loss with weights; the mean is over the weights' sum."""
    loss = loss * weight
    if reduction == "mean":
        return loss.sum() / weight.expand_as(loss).sum()
    return apply_reduction(loss, reduction)


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """(x - y)²."""
    if size_average is not None or reduce is not None:
        reduction = old_reduction(size_average, reduce, reduction)
    input, target = _same_shape(input, target)
    if weight is not None:
        return _weighted(_N.mse_loss(input, target, 0), weight, reduction)
    return _N.mse_loss(input, target, reduction_number(reduction))


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """|x - y|."""
    reduction = old_reduction(size_average, reduce, reduction)
    input, target = _same_shape(input, target)
    if weight is not None:
        return _weighted(_N.l1_loss(input, target, 0), weight, reduction)
    return _N.l1_loss(input, target, reduction_number(reduction))


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """(x - y)² / (2 beta) below `beta`, |x - y| - beta/2 above."""
    reduction = old_reduction(size_average, reduce, reduction)
    input, target = _same_shape(input, target)
    if beta == 0.0:
        return _N.l1_loss(input, target, reduction_number(reduction))
    return _N.smooth_l1_loss(input, target, reduction_number(reduction), beta)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """(x - y)² / 2 below `delta`, delta * (|x - y| - delta/2) above."""
    input, target = _same_shape(input, target)
    if weight is not None:
        return _weighted(_N.huber_loss(input, target, 0, delta), weight, reduction)
    return _N.huber_loss(input, target, reduction_number(reduction), delta)


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
                  label_smoothing=0.0):
    """Log-softmax and negative log likelihood in one. `input` (N, C, *) holds logits; `target` class numbers (N, *)
    or class probabilities (N, C, *)."""
    if size_average is not None or reduce is not None:
        reduction = old_reduction(size_average, reduce, reduction)
    return _N.cross_entropy_loss(input, target, weight, reduction_number(reduction), ignore_index, label_smoothing)


def linear_cross_entropy(input, linear_weight, target, *, linear_bias=None, weight=None, reduction="mean",
                         ignore_index=None, label_smoothing=0.0, options=None):
    """Cross entropy of the logits `linear(input, linear_weight, linear_bias)`; further dimensions between the first and
    the last of the weight are dimensions of the loss."""
    if options is not None:
        raise NotImplementedError("linear_cross_entropy in chunks is part of PyTorch, but it is not available here")
    classes, *more, width = linear_weight.shape
    bias = linear_bias if linear_bias is None else linear_bias.reshape(-1)
    logits = _N.linear(input, linear_weight.reshape(-1, width), bias).reshape(*input.shape[:-1], classes, *more)
    if target.shape == logits.shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    return cross_entropy(logits, target, weight, ignore_index=-100 if ignore_index is None else ignore_index,
                         reduction=reduction, label_smoothing=label_smoothing)


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    """Negative log likelihood: `input` (N, C, *) holds log-probabilities, `target` (N, *) class numbers."""
    reduction = old_reduction(size_average, reduce, reduction)
    return _N.nll_loss_nd(input, target, weight, reduction_number(reduction), ignore_index)


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """Cross entropy of probabilities `input` with `target`, both between 0 and 1."""
    reduction = old_reduction(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(_F.broadcast_tensors([target, weight])[0].size())
    return _N.binary_cross_entropy(input, target, weight, reduction_number(reduction))


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean",
                                     pos_weight=None):
    """Cross entropy of sigmoid(`input`) with `target`, computed without losing precision."""
    reduction = old_reduction(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return _F.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction_number(reduction))


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """target * (log target - input), where `input` holds log-probabilities."""
    reduction = old_reduction(size_average, reduce, reduction)
    if reduction == "mean":
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
            "'mean' will be changed to behave the same as 'batchmean' in the next major release."
        )
    number = 2 if reduction == "batchmean" else reduction_number(reduction)
    loss = _F.kl_div(input, target, number, log_target=log_target)
    return loss / input.size(0) if reduction == "batchmean" and input.dim() != 0 else loss


def poisson_nll_loss(input, target, log_input=True, size_average=None, full=False, eps=1e-8, reduce=None,
                     reduction="mean"):
    """exp(x) - y * x (`log_input`), or x - y * log(x)."""
    reduction = old_reduction(size_average, reduce, reduction)
    return _F.poisson_nll_loss(input, target, log_input, full, eps, reduction_number(reduction))


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """(log var + (x - y)² / var) / 2."""
    if not isinstance(var, Tensor):
        if isinstance(var, float):
            var = var * _F.ones_like(input)
        else:
            raise TypeError(f"var must be a float or a Tensor, got {type(var).__name__}")
    if (var < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = var.unsqueeze(-1)
        elif input.dim() != var.dim() or any(v not in (1, n) for v, n in zip(var.size(), input.size())):
            raise ValueError("var is of incorrect size")
    reduction_number(reduction)
    clamped = var.clone()
    grad_mode = _C.is_grad_enabled()
    _C._set_grad_enabled(False)
    try:
        clamped.clamp_(min=eps)
    finally:
        _C._set_grad_enabled(grad_mode)
    loss = 0.5 * (clamped.log() + (input - target) ** 2 / clamped)
    if full:
        loss = loss + 0.9189385332046727  # log(2 pi) / 2
    return apply_reduction(loss, reduction)


def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """x where the target is 1, max(0, margin - x) where it is -1."""
    reduction = old_reduction(size_average, reduce, reduction)
    return _F.hinge_embedding_loss(input, target, margin, reduction_number(reduction))


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """max(0, -y * (x1 - x2) + margin)."""
    reduction = old_reduction(size_average, reduce, reduction)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return _F.margin_ranking_loss(input1, input2, target, margin, reduction_number(reduction))


def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1."""
    reduction = old_reduction(size_average, reduce, reduction)
    return _F.cosine_embedding_loss(input1, input2, target, margin, reduction_number(reduction))


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + exp(-y * x)), with targets 1 and -1."""
    reduction = old_reduction(size_average, reduce, reduction)
    return _N.soft_margin_loss(input, target, reduction_number(reduction))


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    """sum over the other classes of max(0, margin - x[y] + x[i])^p, divided by the number of classes."""
    reduction = old_reduction(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    return _N.multi_margin_loss(input, target, p, margin, weight, reduction_number(reduction))


def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """Margin between the classes named in `target` (ended by -1) and the others."""
    reduction = old_reduction(size_average, reduce, reduction)
    return _N.multilabel_margin_loss(input, target, reduction_number(reduction))


def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """Binary cross entropy with logits, averaged over the classes."""
    reduction = old_reduction(size_average, reduce, reduction)
    loss = -(target * _N.log_sigmoid(input) + (1 - target) * _N.log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return apply_reduction(loss.sum(dim=input.dim() - 1) / input.size(input.dim() - 1), reduction)


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None,
                        reduce=None, reduction="mean"):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin)."""
    reduction = old_reduction(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return _F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction_number(reduction))


def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False,
                                      reduction="mean"):
    """The triplet loss with a distance of your own."""
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    dims = anchor.dim(), positive.dim(), negative.dim()
    if len(set(dims)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {dims[0]}D, positive {dims[1]}D, and negative {dims[2]}D inputs"
        )
    distance = _F.pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = _F.minimum(far, distance(positive, negative))
    return apply_reduction((margin + near - far).clamp_min(0), reduction)


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """Minus the log probability of a target without alignment, added up over all alignments."""
    from torch._composite.ctc import ctc_loss as ctc

    return ctc(log_probs, targets, input_lengths, target_lengths, blank, reduction_number(reduction), zero_infinity)
