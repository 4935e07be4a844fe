"""L-BFGS: steps along a direction that a few past gradients give, with or without a line search."""

from torch import _C
from torch.autograd.grad_mode import enable_grad
from torch.optim.optimizer import Optimizer, check_lr, number

_F = _C._functions


class LBFGS(Optimizer):
    """Calls the closure several times a step. `line_search_fn` is None or 'strong_wolfe'; one parameter group."""

    def __init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9,
                 history_size=100, line_search_fn=None, *, maximize=False):
        check_lr(lr)
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        super().__init__(params, {
            "lr": lr, "max_iter": max_iter, "max_eval": max_eval, "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change, "history_size": history_size, "line_search_fn": line_search_fn,
            "maximize": maximize,
        })
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def _flat_grad(self):
        grads = [
            _F.zeros(p.numel(), dtype=p.dtype, device=p.device) if p.grad is None else p.grad.detach().reshape(-1) for p in self._params
        ]
        flat = _F.cat(grads)
        return -flat if self.param_groups[0]["maximize"] else flat

    def _move(self, t, direction):
        """All parameters along the flat `direction`, by `t`."""
        offset = 0
        for p in self._params:
            n = p.numel()
            p.add_(direction[offset:offset + n].view_as(p), alpha=t)
            offset += n

    def _evaluate(self, closure, start, t, direction):
        """Loss and gradient at `start` + t * direction; the parameters stay where they were."""
        self._move(t, direction)
        loss = self._loss(closure)
        grad = self._flat_grad()
        for p, value in zip(self._params, start):
            p.copy_(value)
        return loss, grad

    def _loss(self, closure):
        with enable_grad():
            loss = float(closure())
        return -loss if self.param_groups[0]["maximize"] else loss

    def step(self, closure):
        """Up to `max_iter` iterations. Returns the loss of the first evaluation."""
        before = _C.is_grad_enabled()
        _C._set_grad_enabled(False)
        try:
            return self._step(closure)
        finally:
            _C._set_grad_enabled(before)

    def _step(self, closure):
        group = self.param_groups[0]
        lr, max_iter, max_eval = number(group["lr"]), group["max_iter"], group["max_eval"]
        tolerance_grad, tolerance_change = group["tolerance_grad"], group["tolerance_change"]
        line_search, history = group["line_search_fn"], group["history_size"]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        with enable_grad():
            first = closure()
        loss = -float(first) if group["maximize"] else float(first)
        evaluations = 1
        state["func_evals"] += 1
        grad = self._flat_grad()
        if grad.abs().max() <= tolerance_grad:
            return first
        d, t = state.get("d"), state.get("t")
        old_dirs, old_steps, ro = state.get("old_dirs"), state.get("old_stps"), state.get("ro")
        scale, previous, previous_loss = state.get("H_diag"), state.get("prev_flat_grad"), state.get("prev_loss")
        iteration = 0
        while iteration < max_iter:
            iteration += 1
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                d, old_dirs, old_steps, ro, scale = grad.neg(), [], [], [], 1
            else:
                y, s = grad.sub(previous), d.mul(t)
                ys = y.dot(s)
                if ys > 1e-10:
                    if len(old_dirs) == history:
                        for past in (old_dirs, old_steps, ro):
                            past.pop(0)
                    old_dirs.append(y)
                    old_steps.append(s)
                    ro.append(1.0 / ys)
                    scale = ys / y.dot(y)
                al = state.setdefault("al", [None] * history)
                d = _two_loops(grad, old_dirs, old_steps, ro, scale, al)
            previous = grad.clone() if previous is None else previous.copy_(grad)
            previous_loss = loss
            t = min(1.0, 1.0 / grad.abs().sum()) * lr if state["n_iter"] == 1 else lr
            slope = grad.dot(d)
            if slope > -tolerance_change:
                break
            used = 0
            if line_search is not None:
                if line_search != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                start = [p.clone() for p in self._params]
                loss, grad, t, used = _strong_wolfe(
                    lambda t, d: self._evaluate(closure, start, t, d), t, d, loss, grad, slope,
                    max_steps=max_eval - evaluations,
                )
                self._move(t, d)
                converged = grad.abs().max() <= tolerance_grad
            else:
                self._move(t, d)
                converged = False
                if iteration != max_iter:
                    loss = self._loss(closure)
                    grad = self._flat_grad()
                    converged = grad.abs().max() <= tolerance_grad
                    used = 1
            evaluations += used
            state["func_evals"] += used
            if (iteration == max_iter or evaluations >= max_eval or converged
                    or d.mul(t).abs().max() <= tolerance_change or abs(loss - previous_loss) < tolerance_change):
                break
        state.update(d=d, t=t, old_dirs=old_dirs, old_stps=old_steps, ro=ro, H_diag=scale, prev_flat_grad=previous,
                     prev_loss=previous_loss)
        return first


def _two_loops(grad, old_dirs, old_steps, ro, scale, al):
    """The gradient times the approximate inverse Hessian, negative. `al` is memory for a number each past step."""
    q = grad.neg()
    for i in range(len(old_dirs) - 1, -1, -1):
        al[i] = old_steps[i].dot(q) * ro[i]
        q.add_(old_dirs[i], alpha=-al[i].item())
    d = q.mul(scale)
    for i in range(len(old_dirs)):
        beta = old_dirs[i].dot(d) * ro[i]
        d.add_(old_steps[i], alpha=(al[i] - beta).item())
    return d


def _cubic(x1, f1, g1, x2, f2, g2, bounds=None):
    """The minimum of the cubic through two points with their slopes, inside the bounds."""
    low, high = bounds if bounds is not None else (x1, x2) if x1 <= x2 else (x2, x1)
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1 ** 2 - g1 * g2
    if square < 0:
        return (low + high) / 2.0
    d2 = square.sqrt() if hasattr(square, "sqrt") else square ** 0.5
    if x1 <= x2:
        at = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        at = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(at, low), high)


def _strong_wolfe(evaluate, t, d, f, g, slope, c1=1e-4, c2=0.9, tolerance=1e-9, max_steps=25):
    """A step length that lowers the loss enough and flattens the slope enough: (loss, grad, t, evaluations)."""
    size = d.abs().max()
    g = g.clone()
    f_new, g_new = evaluate(t, d)
    count = 1
    slope_new = g_new.dot(d)
    t_prev, f_prev, g_prev, slope_prev = 0, f, g, slope
    done = False
    steps = 0
    # Find a bracket that holds such a step.
    while steps < max_steps:
        if f_new > (f + c1 * t * slope) or (steps > 1 and f_new >= f_prev):
            bracket = [[t_prev, f_prev, g_prev, slope_prev], [t, f_new, g_new.clone(), slope_new]]
            break
        if abs(slope_new) <= -c2 * slope:
            bracket = [[t, f_new, g_new, slope_new]]
            done = True
            break
        if slope_new >= 0:
            bracket = [[t_prev, f_prev, g_prev, slope_prev], [t, f_new, g_new.clone(), slope_new]]
            break
        low, high = t + 0.01 * (t - t_prev), t * 10
        before = t
        t = _cubic(t_prev, f_prev, slope_prev, t, f_new, slope_new, (low, high))
        t_prev, f_prev, g_prev, slope_prev = before, f_new, g_new.clone(), slope_new
        f_new, g_new = evaluate(t, d)
        count += 1
        slope_new = g_new.dot(d)
        steps += 1
    if steps == max_steps:
        bracket = [[0, f, g, slope], [t, f_new, g_new, slope_new]]
    # Narrow it.
    stuck = False
    low, high = (0, 1) if bracket[0][1] <= bracket[-1][1] else (1, 0)
    while not done and steps < max_steps:
        (a, fa, _, sa), (b, fb, _, sb) = bracket
        if abs(b - a) * size < tolerance:
            break
        t = _cubic(a, fa, sa, b, fb, sb)
        left, right = min(a, b), max(a, b)
        margin = 0.1 * (right - left)
        if min(right - t, t - left) < margin:
            # Too close to an end: if it was so before too, or it is beyond, step away from that end.
            if stuck or t >= right or t <= left:
                t = right - margin if abs(t - right) < abs(t - left) else left + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        f_new, g_new = evaluate(t, d)
        count += 1
        slope_new = g_new.dot(d)
        steps += 1
        if f_new > (f + c1 * t * slope) or f_new >= bracket[low][1]:
            bracket[high] = [t, f_new, g_new.clone(), slope_new]
            low, high = (0, 1) if bracket[0][1] <= bracket[1][1] else (1, 0)
        else:
            if abs(slope_new) <= -c2 * slope:
                done = True
            elif slope_new * (bracket[high][0] - bracket[low][0]) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = [t, f_new, g_new.clone(), slope_new]
    t, f_new, g_new, _ = bracket[low if len(bracket) > 1 else 0]
    return f_new, g_new, t, count
