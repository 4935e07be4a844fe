//! Has the learner's code look for Stop where the interpreter itself does not: in the browser its own check between
//! instructions is compiled out, and `sys.monitoring` makes a loop several times slower.
//!
//! Each loop body and each function that calls something begins with `not TICK`, where `TICK` is an object of ours: to
//! ask for its truth is to look for Stop. The compiler sees it at the place of the statement it stands before, so line
//! numbers stay.

use rustpython_compiler::codegen::compile::compile_top;
use rustpython_compiler::{CompileOpts, Mode, ast, parser};
use rustpython_vm::builtins::PyCode;
use rustpython_vm::{PyRef, PyResult, VirtualMachine};
use std::cell::Cell;

/// Name of the object in `builtins`.
const TICK: &str = "__rushlight_tick__";

thread_local! {
    static ON: Cell<bool> = const { Cell::new(false) };
}

/// Has cells compiled from now on look for Stop by themselves.
pub(crate) fn start(vm: &VirtualMachine) -> PyResult<()> {
    vm.builtins.set_attr(TICK, crate::native::tick(vm), vm)?;
    ON.set(true);
    Ok(())
}

/// `code`, which was compiled from `source`, with looks for Stop; itself when there is nothing to add.
pub(crate) fn watched(
    vm: &VirtualMachine,
    code: PyRef<PyCode>,
    source: &str,
    mode: Mode,
    file: &str,
    opts: CompileOpts,
) -> PyRef<PyCode> {
    if !ON.get() {
        return code;
    }
    // What compiled once parses again; if not, the code without looks still runs.
    let Ok(parsed) = parser::parse(source, parser::ParseOptions::from(parser::Mode::Module)) else { return code };
    let mut tree = parsed.into_syntax();
    let ast::Mod::Module(module) = &mut tree else { return code };
    let insert = Insert { added: Cell::new(false) };
    module.body.iter_mut().for_each(|stmt| ast::visitor::transformer::Transformer::visit_stmt(&insert, stmt));
    if !insert.added.get() {
        return code;
    }
    let source_file = ruff_source_file::SourceFileBuilder::new(file, source).finish();
    match compile_top(tree, source_file, mode, opts) {
        Ok(watched) => PyCode::new_ref_from_bytecode(vm, watched),
        Err(_) => code,
    }
}

struct Insert {
    added: Cell<bool>,
}

impl Insert {
    /// `not TICK`, at the place of the statement `at`.
    fn look(&self, at: &ast::Stmt) -> ast::Stmt {
        self.added.set(true);
        let range = ruff_text_size::Ranged::range(at);
        let name = ast::ExprName {
            node_index: ast::AtomicNodeIndex::NONE,
            range,
            id: ast::name::Name::new_static(TICK),
            ctx: ast::ExprContext::Load,
        };
        let not = ast::ExprUnaryOp {
            node_index: ast::AtomicNodeIndex::NONE,
            range,
            op: ast::UnaryOp::Not,
            operand: Box::new(ast::Expr::Name(name)),
        };
        ast::Stmt::Expr(ast::StmtExpr {
            node_index: ast::AtomicNodeIndex::NONE,
            range,
            value: Box::new(ast::Expr::UnaryOp(not)),
        })
    }
}

fn is_text(stmt: &ast::Stmt) -> bool {
    matches!(stmt, ast::Stmt::Expr(stmt) if matches!(&*stmt.value, ast::Expr::StringLiteral(_)))
}

impl ast::visitor::transformer::Transformer for Insert {
    fn visit_stmt(&self, stmt: &mut ast::Stmt) {
        ast::visitor::transformer::walk_stmt(self, stmt);
        let (body, at) = match stmt {
            ast::Stmt::For(stmt) => (&mut stmt.body, 0),
            ast::Stmt::While(stmt) => (&mut stmt.body, 0),
            ast::Stmt::FunctionDef(stmt) => {
                // Without a call there is no recursion.
                let calls = ast::helpers::any_over_body(&stmt.body, |expr| expr.is_call_expr());
                let at = usize::from(stmt.body.first().is_some_and(is_text));
                if !calls || at >= stmt.body.len() {
                    return;
                }
                (&mut stmt.body, at)
            }
            _ => return,
        };
        if let Some(first) = body.get(at) {
            let look = self.look(first);
            body.insert(at, look);
        }
    }
}
