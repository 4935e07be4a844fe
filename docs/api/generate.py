"""Writes the course `reference`: what of PyTorch, NumPy and the standard library is here, what differs, what is absent.

    cargo xtask api           (which runs `rushlight run docs/api/generate.py FOLDER`)

What is there is found by looking, name by name, in the package itself; what differs stands in `differences.py`.
"""

import importlib
import os
import re
import sys
import textwrap

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy  # noqa: E402
import torch  # noqa: E402
from differences import DIFFERENCES, FAMILIES  # noqa: E402
from numpy import _missing  # noqa: E402
from texts import TEXTS  # noqa: E402
from torch._names import NAMES  # noqa: E402

# The pages: id, what they list.
PAGES = {
    "01-tensors": ["torch.Tensor", "torch", "torch.linalg", "torch.special", "torch.fft", "torch.signal.windows",
                   "torch.random"],
    "02-modules": ["torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.parameter", "torch.nn.utils",
                   "torch.nn.utils.rnn", "torch.nn.utils.parametrize", "torch.nn.utils.parametrizations",
                   "torch.nn.utils.prune", "torch.nn.attention"],
    "03-training": ["torch.autograd", "torch.autograd.function", "torch.autograd.functional", "torch.autograd.graph",
                    "torch.autograd.forward_ad", "torch.autograd.profiler", "torch.func", "torch.optim",
                    "torch.optim.lr_scheduler", "torch.optim.swa_utils", "torch.utils.data", "torch.utils.checkpoint",
                    "torch.serialization", "torch.amp", "torch.accelerator", "torch.cuda", "torch.cpu",
                    "torch.compiler", "torch.jit", "torch.profiler", "torch.distributions", "torch.testing",
                    "torch.utils"],
    "04-numpy-and-python": ["numpy", "numpy.ndarray", "numpy.random", "numpy.linalg"],
}
NUMPY = {"numpy": _missing.TOP, "numpy.ndarray": _missing.ARRAY, "numpy.random": _missing.RANDOM,
         "numpy.linalg": _missing.LINALG}
# What modules show of their own imports, and prose that PyTorch keeps in its modules.
NOT_API = re.compile(
    r"^(ABC|abstractmethod|Iterable|torch|dataclasses|inf|math|np|ref|sys|os|re|warnings|contextlib|copyreg|typing_extensions|builtins|inspect|"
    r"Mapping|NewType|Optional|SupportsFloat|TYPE_CHECKING|EPOCH_DEPRECATION_WARNING|DEVICE_REQUIREMENT\w*|"
    r"PYTORCH_RELEASES_CODE_CC|\w+_notes|common_args|multi_dim_common|multi_dim_reduction\w*|DType|auto|classproperty)$"
)
IMPORTED = {"torch.nn.init": {"Tensor"}, "torch.optim.lr_scheduler": {"Tensor", "Optimizer"},
            "torch.special": {"Tensor"}, "torch.nn.functional": {"Tensor"}, "torch.cuda": {"traceback"},
            "torch.utils": {"weakref"}, "torch.fft": {"Tensor"}}
WORDS = {
    "en": {
        "summary": "{} of {} names are there.", "none": "This module is not available here: all its names are absent.",
        "works": "**There:**", "differs": "**Differs:**", "absent": "**Absent:**",
        "families": "Families left out", "standard": "The standard library",
        "modules": "These modules can be imported:", "packages": "Packages",
        "all": "All {} names are there.", "sep": ", ", "colon": ": ",
    },
    "zh-CN": {
        "summary": "{1} 个名称中有 {0} 个可用。", "none": "此模块在这里不可用：它的所有名称都不存在。",
        "works": "**可用：**", "differs": "**有差异：**", "absent": "**不可用：**",
        "families": "未包含的类别", "standard": "标准库",
        "modules": "可以导入以下模块：", "packages": "软件包",
        "all": "全部 {} 个名称都可用。", "sep": "、", "colon": "：",
    },
}
PACKAGES = ("torch", "numpy", "safetensors", "rushlight")


def names_of(module):
    """PyTorch's (or NumPy's) public names of a module, less what is no API."""
    names = NUMPY[module] if module in NUMPY else NAMES.get(module, "").split()
    return sorted(n for n in names if not NOT_API.match(n) and n not in IMPORTED.get(module, ()))


def holder(module):
    """The object that has the names, or None where there is no such module."""
    if module == "torch.Tensor":
        return torch.Tensor
    if module == "numpy.ndarray":
        return numpy.ndarray
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def present(thing, name):
    if thing is None:
        return False
    try:
        value = getattr(thing, name)
    except AttributeError:
        return False
    except Exception:
        # It is there and refuses to be looked at, as some properties of a class do.
        return True
    # A function that only says that it is not available, or a module of such functions.
    return not (getattr(value, "_not_available", False) or type(value).__name__ == "_Absent")


def code(names, sep):
    return sep.join(f"`{name}`" for name in names)


def filled(text):
    return textwrap.fill(text, width=118, break_long_words=False, break_on_hyphens=False)


def family(name):
    return next((key for key, (pattern, _) in FAMILIES.items() if re.search(pattern, name)), None)


def section(module, language, left_out):
    words = WORDS[language]
    thing, names = holder(module), names_of(module)
    there = [n for n in names if present(thing, n)]
    absent = []
    for name in names:
        if name in there:
            continue
        key = family(name) if module in ("torch", "torch.Tensor") else None
        if key:
            left_out.setdefault(key, []).append(f"{module}.{name}".replace("torch.Tensor", "Tensor"))
        else:
            absent.append(name)
    lines = [f"## `{module}`", ""]
    if not there:
        return [*lines, words["none"], ""]
    counted = len(there) + len(absent)
    lines += [words["all"].format(counted) if not absent else words["summary"].format(len(there), counted), ""]
    notes = [(n, note) for n, note in DIFFERENCES.items() if n.rpartition(".")[0] == module]
    for name, _ in notes:
        if not present(thing, name.rpartition(".")[2]):
            raise SystemExit(f"differences.py speaks of {name}, which is not there")
    if absent:
        lines += [filled(f"{words['absent']} {code(absent, ', ')}"), ""]
    if notes:
        lines += [words["differs"], ""]
        lines += [f"- `{name.rpartition('.')[2]}`{words['colon']}{note[language]}" for name, note in notes] + [""]
    lines += [filled(f"{words['works']} {code(there, ', ')}"), ""]
    return lines


def standard_library():
    """Top-level modules of the standard library that can be imported."""
    here = set(sys.builtin_module_names) | set(sys.stdlib_module_names)
    found = []
    for name in sorted(here):
        if name.startswith("_") or name in ("antigravity", "this", "idlelib"):
            continue
        try:
            importlib.import_module(name)
        except Exception:
            continue
        found.append(name)
    return found


def page(identifier, language):
    words, text = WORDS[language], TEXTS[identifier][language]
    lines = ["---", f"summary: {text['summary']}", "---", "", text["intro"].strip(), ""]
    left_out = {}
    for module in PAGES[identifier]:
        lines += section(module, language, left_out)
    if left_out:
        lines += [f"## {words['families']}", ""]
        for key, (_, titles) in FAMILIES.items():
            if key in left_out:
                lines += [filled(f"- **{titles[language]}** ({len(left_out[key])})")]
        lines.append("")
    if identifier == "04-numpy-and-python":
        lines += [f"## {words['standard']}", "", words["modules"], "", filled(code(standard_library(), ", ")), ""]
        lines += [f"## {words['packages']}", "", filled(code(PACKAGES, ", ")), ""]
    if text.get("outro"):
        lines += [text["outro"].strip(), ""]
    return "\n".join(lines)


def main(folder):
    for identifier in PAGES:
        os.makedirs(f"{folder}/{identifier}", exist_ok=True)
        for language in WORDS:
            with open(f"{folder}/{identifier}/lesson.{language}.md", "w", encoding="utf-8") as file:
                file.write(page(identifier, language))


main(sys.argv[1])
