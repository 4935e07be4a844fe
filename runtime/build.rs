//! Gathers the Python sources that are embedded in the runtime: the listed parts of the standard library, and the packages
//! under `lib/`. Comments and documentation strings are blanked, line numbers kept; in the packages those of public
//! functions and classes stay, for `help()`.

use rustpython_compiler::{CompileOpts, Mode, ast, compile, parser};
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

type Done<T> = Result<T, Box<dyn Error>>;

fn main() -> Done<()> {
    println!("cargo:rerun-if-changed=stdlib.list");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=lib");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let manifest = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let mut code = String::new();

    let stdlib = Path::new(rustpython_pylib::LIB_PATH);
    let names = listed(stdlib, &fs::read_to_string(manifest.join("stdlib.list"))?)?;
    embed(&mut code, "STDLIB", stdlib, &names, Docs::None, &out.join("stdlib"))?;
    let lib = manifest.join("lib");
    embed(&mut code, "LIB", &lib, &python_files(&lib, &lib)?, Docs::Public, &out.join("lib"))?;

    // The interpreter imports `encodings` while it starts, before our own importer is there.
    writeln!(code, "pub static FROZEN: &[(&str, bool, &[u8])] = &[")?;
    for (name, file, package) in
        [("encodings", "encodings/__init__.py", true), ("encodings.aliases", "encodings/aliases.py", false)]
    {
        let source = fs::read_to_string(stdlib.join(file))?;
        let object = compile(&source, Mode::Exec, &format!("/rushlight/lib/{file}"), CompileOpts::default())
            .map_err(|e| format!("{file}: {e}"))?;
        let bytes = rustpython_compiler::core::frozen::FrozenCodeObject::encode(&object).bytes;
        let path = out.join(format!("{name}.frozen"));
        fs::write(&path, bytes)?;
        writeln!(code, "    ({name:?}, {package}, include_bytes!({:?})),", path.display().to_string())?;
    }
    writeln!(code, "];")?;
    fs::write(out.join("embedded.rs"), code)?;
    Ok(())
}

/// A table of sources, by their names; what is left of them goes into the folder `kept`.
fn embed(code: &mut String, table: &str, folder: &Path, names: &BTreeSet<String>, docs: Docs, kept: &Path) -> Done<()> {
    writeln!(code, "pub static {table}: &[(&str, &str)] = &[")?;
    for name in names {
        let source = fs::read_to_string(folder.join(name))?;
        let path = kept.join(name);
        fs::create_dir_all(path.parent().ok_or("no folder")?)?;
        fs::write(&path, slim(&source, docs).unwrap_or(source))?;
        writeln!(code, "    ({name:?}, include_str!({:?})),", path.display().to_string())?;
    }
    writeln!(code, "];\n")?;
    Ok(())
}

/// The files the list names, sorted.
fn listed(stdlib: &Path, list: &str) -> Done<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for line in list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(left_out) = line.strip_prefix('-').map(str::trim) {
            names.retain(|name| name != left_out && *name != format!("{left_out}.py"));
        } else if line.ends_with(".py") {
            names.insert(line.to_owned());
        } else if stdlib.join(line).is_dir() {
            names.extend(python_files(stdlib, &stdlib.join(line))?);
        } else if stdlib.join(format!("{line}.py")).is_file() {
            names.insert(format!("{line}.py"));
        } else {
            return Err(format!("stdlib.list: no module {line}").into());
        }
    }
    Ok(names)
}

/// Every `.py` under `folder`, as paths from `root`, sorted.
fn python_files(root: &Path, folder: &Path) -> Done<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "__pycache__") {
                names.extend(python_files(root, &path)?);
            }
        } else if path.extension().is_some_and(|e| e == "py") {
            let name = path.strip_prefix(root)?.to_str().ok_or("a file name is not UTF-8")?;
            names.insert(name.replace('\\', "/"));
        }
    }
    Ok(names)
}

/// Which documentation strings stay.
#[derive(Clone, Copy, PartialEq)]
enum Docs {
    None,
    /// Those of functions and classes whose names, and whose owners' names, begin with no underscore.
    Public,
}

/// The source without comments, and with few documentation strings; every line keeps its number.
fn slim(source: &str, docs: Docs) -> Option<String> {
    let parsed = parser::parse_module(source).ok()?;
    let mut cuts: Vec<(usize, usize, bool)> = Vec::new();
    for token in parsed.tokens() {
        if token.kind() == rustpython_compiler::TokenKind::Comment {
            let (_, range) = token.as_tuple();
            let (start, end) = (range.start().to_usize(), range.end().to_usize());
            let blanks = source.get(..start)?.chars().rev().take_while(|c| matches!(c, ' ' | '\t')).count();
            cuts.push((start - blanks, end, false));
        }
    }
    cut_first(&parsed.syntax().body, &mut cuts);
    definitions(&parsed.syntax().body, docs, &mut cuts);
    cuts.sort_unstable();
    let mut slim = String::with_capacity(source.len());
    let mut at = 0;
    for (from, to, docstring) in cuts {
        slim.push_str(source.get(at..from)?);
        let cut = source.get(from..to)?;
        if docstring {
            slim.push_str("''");
            slim.extend(std::iter::repeat_n('\n', cut.matches('\n').count()));
        }
        at = to;
    }
    slim.push_str(source.get(at..)?);
    // Only when it still parses to a module of as many statements.
    let again = parser::parse_module(&slim).ok()?;
    (again.syntax().body.len() == parsed.syntax().body.len()).then_some(slim)
}

/// Cuts the documentation string that a body begins with.
fn cut_first(body: &[ast::Stmt], cuts: &mut Vec<(usize, usize, bool)>) {
    if let Some(ast::Stmt::Expr(first)) = body.first()
        && let ast::Expr::StringLiteral(text) = &*first.value
    {
        cuts.push((text.range.start().to_usize(), text.range.end().to_usize(), true));
    }
}

fn definitions(body: &[ast::Stmt], docs: Docs, cuts: &mut Vec<(usize, usize, bool)>) {
    for stmt in body {
        let (name, inner) = match stmt {
            ast::Stmt::FunctionDef(f) => (&f.name, &f.body),
            ast::Stmt::ClassDef(c) => (&c.name, &c.body),
            ast::Stmt::If(i) => {
                definitions(&i.body, docs, cuts);
                i.elif_else_clauses.iter().for_each(|clause| definitions(&clause.body, docs, cuts));
                continue;
            }
            ast::Stmt::Try(t) => {
                definitions(&t.body, docs, cuts);
                definitions(&t.orelse, docs, cuts);
                continue;
            }
            _ => continue,
        };
        let docs = if name.starts_with('_') { Docs::None } else { docs };
        if docs == Docs::None {
            cut_first(inner, cuts);
        }
        definitions(inner, docs, cuts);
    }
}
