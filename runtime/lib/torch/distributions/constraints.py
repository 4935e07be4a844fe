"""What values are allowed: of a parameter, of a sample. `check(value)` says which are."""


class Constraint:
    """One condition on values."""

    is_discrete = False
    event_dim = 0
    shown = ()

    def check(self, value):
        """True where the value is allowed."""
        raise NotImplementedError

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)}' for n in self.shown)})"


class Real(Constraint):
    def check(self, value):
        return value == value


class Boolean(Constraint):
    is_discrete = True

    def check(self, value):
        return (value == 0) | (value == 1)


class GreaterThan(Constraint):
    shown = ("lower_bound",)

    def __init__(self, lower_bound):
        self.lower_bound = lower_bound

    def check(self, value):
        return self.lower_bound < value


class GreaterThanEq(GreaterThan):
    def check(self, value):
        return self.lower_bound <= value


class LessThan(Constraint):
    shown = ("upper_bound",)

    def __init__(self, upper_bound):
        self.upper_bound = upper_bound

    def check(self, value):
        return value < self.upper_bound


class Interval(Constraint):
    shown = ("lower_bound", "upper_bound")

    def __init__(self, lower_bound, upper_bound):
        self.lower_bound, self.upper_bound = lower_bound, upper_bound

    def check(self, value):
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class IntegerInterval(Interval):
    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class IntegerGreaterThan(GreaterThan):
    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (value >= self.lower_bound)


class Simplex(Constraint):
    """Not negative, and the last dimension sums to 1."""

    event_dim = 1

    def check(self, value):
        return (value >= 0).all(dim=-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value):
        return ((value == 0) | (value == 1)).all(-1) & value.sum(-1).eq(1)


real, boolean, positive, unit_interval, simplex, one_hot = (
    Real(), Boolean(), GreaterThan(0.0), Interval(0.0, 1.0), Simplex(), OneHot())
nonnegative, nonnegative_integer = GreaterThanEq(0.0), IntegerGreaterThan(0)
greater_than, greater_than_eq, less_than, interval, integer_interval = (
    GreaterThan, GreaterThanEq, LessThan, Interval, IntegerInterval)
