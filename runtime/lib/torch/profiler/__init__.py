"""Where time goes: `profile` measures the calls of PyTorch's functions, `record_function` names a part of a program.

Times are real, taken on this machine. What is seen are the functions that the program calls and its whole backward
passes; parts of them, devices other than the CPU, memory and Python's stack are not.
"""

from enum import Enum, IntEnum

from torch.autograd.profiler import EventList, profile as _base_profile, record_function

__all__ = ["profile", "schedule", "supported_activities", "tensorboard_trace_handler", "ProfilerAction",
           "ProfilerActivity", "record_function", "kineto_available", "DeviceType", "RecordScope"]


class ProfilerActivity(IntEnum):
    """What may be measured; here it is the CPU."""

    CPU = 0
    CUDA = 1
    XPU = 2
    MTIA = 3
    HPU = 4
    PrivateUse1 = 5

    def __repr__(self):
        return f"<ProfilerActivity.{self.name}: {self.value}>"

    def __str__(self):
        return f"ProfilerActivity.{self.name}"


class ProfilerAction(Enum):
    """What a schedule says for a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class DeviceType(IntEnum):
    """Kinds of devices."""

    CPU = 0
    CUDA = 1


class RecordScope(IntEnum):
    """Kinds of functions."""

    FUNCTION = 0
    BACKWARD_FUNCTION = 1
    USER_SCOPE = 7


def supported_activities():
    """The CPU alone."""
    return {ProfilerActivity.CPU}


def kineto_available():
    return False


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """A function of the step's number: wait, warm up, record; again and again, or `repeat` times."""
    def action(step):
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait != 0:
            step += wait
        cycle = wait + warmup + active
        if repeat > 0 and step / cycle >= repeat:
            return ProfilerAction.NONE
        place = step % cycle
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError("Invalid profiler schedule arguments")
    return action


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    """Writing traces is not available."""
    raise NotImplementedError("torch.profiler.tensorboard_trace_handler is part of PyTorch, but it is not available here")


class profile(_base_profile):
    """`with profile(...) as prof:`, then `print(prof.key_averages().table(sort_by="cpu_time_total"))`."""

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, profile_memory=False,
                 with_stack=False, with_flops=False, with_modules=False, experimental_config=None,
                 execution_trace_observer=None, acc_events=False, use_cuda=None, custom_trace_id_callback=None):
        super().__init__(record_shapes=record_shapes, profile_memory=profile_memory, with_stack=with_stack)
        self.activities = set(activities) if activities else supported_activities()
        if not self.activities:
            raise AssertionError("No valid profiler activities found")
        self.schedule = schedule
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = schedule(0) if schedule else ProfilerAction.RECORD_AND_SAVE

    def start(self):
        if self.current_action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE):
            super().start()

    def stop(self):
        if self._running:
            super().stop()
            if self.on_trace_ready:
                self.on_trace_ready(self)

    def step(self):
        """The next step of the schedule."""
        before = self.current_action
        self.step_num += 1
        if self.schedule is None:
            return
        self.current_action = now = self.schedule(self.step_num)
        recording = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if before == ProfilerAction.RECORD_AND_SAVE:
            self.stop()
        if now in recording and not self._running:
            self._events = EventList([])
            super().start()

    def export_chrome_trace(self, path):
        """Writes the events as a trace that browsers show."""
        return super().export_chrome_trace(path)
