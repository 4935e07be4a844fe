//! Sessions: names that stay, values, errors with their lines, recursion, exits.

mod common;

use common::{lab, source};
use rushlight_runtime::Cell;
use rushlight_runtime::protocol::Outcome;

#[test]
fn names_stay_from_run_to_run_and_sessions_are_apart() {
    lab(|lab| {
        lab.out("x = 40\ndef add(n):\n    return x + n");
        assert_eq!(lab.out("print(add(2))"), "42\n");
        let other = lab.runtime.run(Cell { session: "other", file: "cell.py", before: &[], source: "x" });
        let Outcome::Failed(error) = other.outcome else { panic!("{other:?}") };
        assert_eq!((error.class.as_str(), error.message.as_str()), ("NameError", "name 'x' is not defined"));
        lab.runtime.forget("lesson");
        assert_eq!(lab.error("x").key.as_deref(), Some("name"));
    });
}

#[test]
fn the_last_expression_is_the_cells_value() {
    lab(|lab| {
        for text in ["1 + 1", "x = 5\nx * 2  # ten", "None", "6;", "x = 7", "def f():\n    return 1", "'a'\n"] {
            lab.run(text);
        }
        assert_eq!(*lab.kept.values.borrow(), ["2", "10", "'a'"]);
    });
}

#[test]
fn annotated_names_may_stand_before_a_last_expression() {
    lab(|lab| {
        lab.run("count: int = 3\nif count:\n    other: str = 'b'\ncount");
        assert_eq!(*lab.kept.values.borrow(), ["3"]);
    });
}

#[test]
fn an_error_carries_its_line_its_columns_and_the_source_lines() {
    lab(|lab| {
        let error = lab.error("def mean(v):\n    return sum(v) / len(v)\n\nprint('before')\nmean([])\n");
        assert_eq!((error.class.as_str(), error.message.as_str()), ("ZeroDivisionError", "division by zero"));
        assert_eq!(error.line, Some(2));
        assert_eq!(error.columns, Some((11, 26)));
        assert_eq!(error.key.as_deref(), Some("zero-division"));
        let lines: Vec<&str> = error.traceback.lines().map(str::trim_end).collect();
        assert_eq!(lines[0], "Traceback (most recent call last):");
        assert_eq!(lines[1], "  File \"cell.py\", line 5, in <module>");
        assert_eq!(lines[2], "    mean([])");
        assert!(lines.contains(&"  File \"cell.py\", line 2, in mean"), "{lines:?}");
        assert!(lines.contains(&"    return sum(v) / len(v)"), "{lines:?}");
        assert_eq!(lines.last(), Some(&"ZeroDivisionError: division by zero"));
        assert!(!error.traceback.contains("rushlight"), "{}", error.traceback);
        assert_eq!(lab.kept.out(), "before\n");
    });
}

#[test]
fn the_same_file_name_shows_the_newest_source() {
    lab(|lab| {
        lab.error("first = 1\nfirst.x");
        let error = lab.error("second = 2\n\n\nsecond.y");
        assert_eq!(error.line, Some(4));
        assert!(error.traceback.contains("    second.y\n"), "{}", error.traceback);
    });
}

#[test]
fn syntax_errors_have_their_line_and_key() {
    lab(|lab| {
        let error = lab.error("x = 1\nif x\n    print(x)\n");
        assert_eq!((error.class.as_str(), error.line), ("SyntaxError", Some(2)));
        assert_eq!(error.message, "expected ':' (cell.py, line 2)");
        assert_eq!(error.key.as_deref(), Some("syntax"));
        let error = lab.error("def f():\nreturn 1\n");
        assert_eq!((error.class.as_str(), error.line), ("IndentationError", Some(2)));
        assert_eq!(error.key.as_deref(), Some("indentation"));
    });
}

#[test]
fn an_error_in_a_hidden_cell_names_that_cell() {
    lab(|lab| {
        let before = [source("setup.py", "import math\nmath.nothing")];
        let report = lab.runtime.run(Cell { session: "s", file: "cell.py", before: &before, source: "1" });
        let Outcome::Failed(error) = report.outcome else { panic!("{report:?}") };
        assert_eq!(error.line, None);
        assert!(error.traceback.contains("File \"setup.py\", line 2"), "{}", error.traceback);
    });
}

#[test]
fn chained_errors_are_shown_whole() {
    lab(|lab| {
        let error = lab.error("try:\n    {}['k']\nexcept KeyError as e:\n    raise RuntimeError('wrapped') from e\n");
        assert!(error.traceback.contains("KeyError: 'k'"), "{}", error.traceback);
        assert!(error.traceback.contains("The above exception was the direct cause"), "{}", error.traceback);
        assert_eq!(error.line, Some(4));
    });
}

#[test]
fn a_stop_that_comes_too_late_stops_nothing() {
    lab(|lab| {
        lab.runtime.stop_handle().stop();
        assert_eq!(lab.out("total = sum(range(1000))\nprint(total)"), "499500\n");
    });
}

#[test]
fn deep_recursion_is_an_error_not_a_crash() {
    lab(|lab| {
        for text in [
            "def f(n):\n    return f(n + 1)\nf(0)",
            "class A:\n    def __repr__(self):\n        return repr(self)\nrepr(A())",
            "class A:\n    def __add__(self, o):\n        return self + o\nA() + A()",
            "class A:\n    def __getattr__(self, name):\n        return getattr(self, name + 'x')\nA().y",
            "class A:\n    def __call__(self):\n        return self()\nA()()",
            "def key(x):\n    return sorted([2, 1], key=key)\nkey(1)",
            "import sys\nsys.setrecursionlimit(10 ** 6)\ndef f(n):\n    return max([n], key=f)\nf(0)",
            "def f(x):\n    return list(map(f, [x]))\nf(1)",
            "d = {}\nfor _ in range(100000):\n    d = {'d': d}\nd == d.copy()\nimport copy\ncopy.deepcopy(d)",
        ] {
            let error = lab.error(text);
            assert_eq!(error.class, "RecursionError", "{text}: {}", error.message);
            assert_eq!(error.key.as_deref(), Some("recursion"));
        }
        lab.out("import sys\nsys.setrecursionlimit(1000)\nx = d = None");
        // How deep native code gets depends on the stack, so either answer is right; a crash is not.
        for call in ["repr(x)", "json.dumps(x)"] {
            let build = "import json\nx = []\nfor _ in range(100000):\n    x = [x]";
            let text = format!("{build}\ntry:\n    {call}\nexcept RecursionError:\n    pass\nprint('here')");
            assert_eq!(lab.out(&text), "here\n");
        }
        assert_eq!(lab.out("def g(n):\n    return 0 if n == 0 else 1 + g(n - 1)\nprint(g(900))"), "900\n");
    });
}

#[test]
fn nesting_too_deep_for_the_compiler_is_an_error_too() {
    lab(|lab| {
        let deep = format!("{}1{}", "(".repeat(20_000), ")".repeat(20_000));
        let class = lab.error(&format!("x = {deep}")).class;
        assert!(["SyntaxError", "RecursionError", "MemoryError"].contains(&class.as_str()), "{class}");
        let deep = "-".repeat(100_000);
        let class = lab.error(&format!("x = {deep}1")).class;
        assert!(["SyntaxError", "RecursionError", "MemoryError"].contains(&class.as_str()), "{class}");
        let class = lab.error("eval('[' * 50000 + ']' * 50000)").class;
        assert!(["SyntaxError", "RecursionError", "MemoryError"].contains(&class.as_str()), "{class}");
    });
}

#[test]
fn too_much_memory_is_a_memory_error() {
    lab(|lab| {
        for text in [
            "[0] * 10 ** 15",
            "'x' * 10 ** 15",
            "b'x' * 10 ** 17",
            "bytearray(10 ** 17)",
            "(0,) * 10 ** 17",
            "bytes(10 ** 17)",
        ] {
            let error = lab.error(text);
            assert!(["MemoryError", "OverflowError"].contains(&error.class.as_str()), "{text}: {error:?}");
        }
    });
}

#[test]
fn exits_end_the_cell_quietly() {
    lab(|lab| {
        lab.out("print('a')\nimport sys\nsys.exit()\nprint('b')");
        lab.out("raise SystemExit(3)");
        lab.out("exit = None\nimport sys\nsys.exit('bye')");
        assert_eq!(lab.kept.err(), "bye\n");
    });
}

#[test]
fn names_are_listed_in_order_with_short_previews() {
    lab(|lab| {
        let report =
            lab.run("import math\nfrom math import pi\nn = 3\nwords = ['a'] * 100\n_hidden = 1\nclass C: pass\n");
        let seen: Vec<(&str, &str, &str)> =
            report.names.iter().map(|n| (n.name.as_str(), n.class.as_str(), n.preview.as_str())).collect();
        assert_eq!(seen[0], ("pi", "float", "3.141592653589793"));
        assert_eq!(seen[1], ("n", "int", "3"));
        assert_eq!(seen[2], ("words", "list", "['a', 'a', 'a', 'a', 'a', 'a', …] (100 items)"));
        assert_eq!(seen[3].0, "C");
        assert_eq!(seen.len(), 4);
    });
}

#[test]
fn listing_the_names_prints_nothing() {
    lab(|lab| {
        let report = lab.run(
            r#"import torch
class Told(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print("called", func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})
class Loud:
    def __repr__(self):
        print("asked")
        return "Loud()"
t = torch.ones(2, 3).as_subclass(Told)
loud = Loud()
print("end")"#,
        );
        assert_eq!(lab.kept.out(), "end\n");
        let told = report.names.iter().find(|n| n.name == "t").expect("listed");
        assert_eq!(told.tensor.as_ref().map(|t| t.shape.clone()), Some(vec![2, 3]));
        assert!(report.names.iter().any(|n| n.preview == "Loud()"));
    });
}

#[test]
fn a_broken_repr_or_str_is_no_crash() {
    lab(|lab| {
        let report = lab.run("class Bad:\n    def __repr__(self):\n        raise ValueError('no')\nbad = Bad()");
        assert_eq!(report.outcome, Outcome::Done);
        assert_eq!(
            report.names.iter().find(|n| n.name == "bad").map(|n| n.preview.as_str()),
            Some("<ValueError in repr>")
        );
        assert_eq!(lab.error("bad").class, "ValueError");
        let error = lab.error("class E(Exception):\n    def __str__(self):\n        raise TypeError('no')\nraise E()");
        assert_eq!(error.class, "E");
        assert_eq!(error.line, Some(4));
    });
}

#[test]
fn classes_of_a_cell_can_be_pickled_and_main_is_main() {
    lab(|lab| {
        let text = "import pickle\nfrom dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n\
                    print(pickle.loads(pickle.dumps(P(3))), __name__)\n\
                    if __name__ == '__main__':\n    print('main')";
        assert_eq!(lab.out(text), "P(x=3) __main__\nmain\n");
    });
}

#[test]
fn standard_error_and_warnings_go_to_standard_error() {
    lab(|lab| {
        lab.out("import sys, warnings\nprint('e', file=sys.stderr)\nwarnings.warn('careful')");
        let err = lab.kept.err();
        assert!(err.starts_with("e\ncell.py:3: UserWarning: careful\n"), "{err}");
    });
}

#[test]
fn reading_input_ends_at_once() {
    lab(|lab| {
        assert_eq!(lab.error("input('name? ')").class, "EOFError");
        assert_eq!(lab.out("import sys\nprint(repr(sys.stdin.read()))"), "name? ''\n");
    });
}

#[test]
fn code_that_looks_for_stop_by_itself_behaves_the_same() {
    let text = r#"
def outer(n):
    """Doc of outer."""
    total = 0
    for i in range(n):
        for j in range(i):
            if j == 2:
                continue
            total += len([k for k in range(j)])
        else:
            total += 1
    while total > 5:
        total -= 1
        if total == 3:
            break
    return total

class C:
    """Doc of C."""
    for name in ("a", "b"):
        locals()[name] = name
    def method(self):
        "Doc of method."
        return __class__.__name__, [x for x in self.items()]
    def items(self):
        for i in range(3):
            yield str(i)

def only_doc():
    """Only doc: print()"""

async def later():
    async for x in y:
        pass

print(outer(6), outer.__doc__, C.__doc__, C.method.__doc__, C().method(), C.a, only_doc.__doc__, later.__name__)
"#;
    let failing =
        "def bad(n):\n    while True:\n        for i in [n]:\n            x = 1\n            1 / i\n\n\nbad(0)\n";
    lab(|lab| {
        let plain = lab.out(text);
        let error = lab.error(failing);
        assert_eq!(error.line, Some(5));
        lab.runtime.watch().expect("watching starts");
        assert_eq!(lab.out(text), plain);
        assert_eq!(lab.error(failing), error);
        lab.out("for i in range(3): pass");
        assert!(lab.kept.values.borrow().is_empty(), "an inserted look is not the cell's value");
    });
}

/// What a program switches stays with its session: other sessions, checks and reruns start as PyTorch does.
#[test]
fn switches_belong_to_their_session() {
    lab(|lab| {
        let show = "import torch, rushlight\nprint(torch.is_grad_enabled(), torch.get_default_dtype(), \
                    torch.tensor(1 / 3), rushlight.memory_budget())";
        let other = |source| {
            let report = lab.runtime.run(Cell { session: "other", file: "cell.py", before: &[], source });
            assert_eq!(report.outcome, Outcome::Done);
            lab.kept.out()
        };
        let start = "True torch.float32 tensor(0.3333) None\n";
        assert_eq!(lab.out(show), start);
        lab.out(
            "torch.set_grad_enabled(False); torch.set_default_dtype(torch.float64)\n\
             torch.set_printoptions(precision=2); rushlight.set_memory_budget(2**20)",
        );
        assert_eq!(lab.out(show), "False torch.float64 tensor(0.33) 1048576\n");
        assert_eq!(other(show), start);
        other("torch.set_default_dtype(torch.float16)");
        assert_eq!(lab.out(show), "False torch.float64 tensor(0.33) 1048576\n");
        assert_eq!(other(show), "True torch.float16 tensor(0.3333) None\n");
    });
}

#[test]
fn every_module_tells_absent_names_from_wrong_ones() {
    lab(|lab| {
        let absent = "is part of PyTorch, but it is not available here yet";
        for (code, told) in [
            ("torch.sparse_csr", format!("torch.sparse_csr {absent}")),
            ("torch.utils.hooks.BackwardHook", format!("torch.utils.hooks.BackwardHook {absent}")),
            ("torch.nn.modules.container.Container", format!("torch.nn.modules.container.Container {absent}")),
            ("torch.fft.fftt", "module 'torch.fft' has no attribute 'fftt'".to_owned()),
            ("torch.nn.utils.rnn.pad", "module 'torch.nn.utils.rnn' has no attribute 'pad'".to_owned()),
            ("np.testing.rundocs", "np.testing.rundocs is part of NumPy, but it is not available here yet".to_owned()),
            (
                "np.lib.stride_tricks.as_stride",
                "module 'numpy.lib.stride_tricks' has no attribute 'as_stride'".to_owned(),
            ),
        ] {
            let error =
                lab.error(&format!("import torch, torch.nn.utils.rnn, numpy as np, numpy.lib.stride_tricks\n{code}"));
            assert_eq!((error.class.as_str(), error.message.as_str()), ("AttributeError", &*told));
        }
        assert!(lab.error("torch.fft.fftshiftt").traceback.contains("Did you mean: 'fftshift'?"));
        // What a module brings itself is still asked first.
        assert_eq!(lab.out("print(torch.optim.SGD.__name__, torch.accelerator.is_available())"), "SGD False\n");
    });
}
