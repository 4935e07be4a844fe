//! What a call costs from Python: arguments, overloads, the op, the result's object. A thousand calls each.

use criterion::{Criterion, Throughput};
use rushlight_runtime::files::{Errno, MemoryFiles};
use rushlight_runtime::protocol::Stream;
use rushlight_runtime::{Cell, Runtime, Sink, on_big_stack};
use std::rc::Rc;

struct Silent;
impl Sink for Silent {
    fn write(&self, _stream: Stream, _bytes: &[u8]) -> Result<(), Errno> {
        Ok(())
    }
    fn value(&self, _text: &str) {}
    fn figure(&self, _svg: &str, _alt: &str) {}
    fn checked(&self, _line: &rushlight_runtime::protocol::CheckLine) {}
}

const SETUP: &str = "
import torch
a, b = torch.ones(1), torch.ones(1)
w = torch.nn.Parameter(torch.ones(1))
x = torch.ones(4, 8)
layer = torch.nn.Linear(8, 8)
def thousand(step):
    for _ in range(1000):
        step()
";

const CALLS: [(&str, &str); 6] = [
    ("an empty function", "lambda: None"),
    ("a + b", "lambda: a + b"),
    ("w + b, recorded", "lambda: w + b"),
    ("torch.add(a, b)", "lambda: torch.add(a, b)"),
    ("x.sum(dim=1, keepdim=True)", "lambda: x.sum(dim=1, keepdim=True)"),
    ("a linear layer", "lambda: layer(x)"),
];

fn main() {
    on_big_stack(|| {
        let mut criterion = Criterion::default().configure_from_args();
        let runtime = Runtime::new(Rc::new(MemoryFiles::new()), Rc::new(Silent)).expect("the interpreter starts");
        let run = |source: &str| runtime.run(Cell { session: "bench", file: "bench.py", before: &[], source });
        run(SETUP);
        let mut group = criterion.benchmark_group("from Python");
        group.throughput(Throughput::Elements(1000));
        for (name, step) in CALLS {
            let source = format!("thousand({step})");
            group.bench_function(name, |b| b.iter(|| run(&source)));
        }
        group.finish();
        criterion.final_summary();
    });
}
