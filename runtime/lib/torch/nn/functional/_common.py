"""What several files of `torch.nn.functional` need."""


def warn(text, level=4):
    """A warning that points at the learner's line."""
    import warnings

    warnings.warn(text, stacklevel=level)


def reduction_number(reduction):
    """'none', 'mean', 'sum' as the native functions want it."""
    if reduction == "mean":
        return 1
    if reduction == "sum":
        return 2
    if reduction == "none":
        return 0
    raise ValueError(f"{reduction} is not a valid value for reduction")


def old_reduction(size_average, reduce, reduction):
    """`reduction`, unless the arguments that came before it are used."""
    if size_average is None and reduce is None:
        return reduction
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    result = "none" if not reduce else "mean" if size_average else "sum"
    warn(f"size_average and reduce args will be deprecated, please use reduction='{result}' instead.")
    return result


def apply_reduction(loss, reduction):
    """The mean, the sum or all of a loss."""
    number = reduction_number(reduction)
    return loss if number == 0 else loss.mean() if number == 1 else loss.sum()
