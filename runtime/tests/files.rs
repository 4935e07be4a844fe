//! Files as a program sees them, in memory: text and binary, seeking, folders, errors, and the modules over them.

mod common;

use common::lab;

/// Every line is an expression that must be true.
fn all_true(text: &str) {
    lab(|lab| {
        lab.out("import os, io, sys, tempfile, shutil, glob\nfrom pathlib import Path");
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if let Some(statement) = line.strip_prefix("> ") {
                lab.out(statement);
            } else {
                lab.out(&format!("assert {line}, {line:?}"));
            }
        }
    });
}

#[test]
fn text_files() {
    all_true(
        r#"
        open("a.txt", "w").write("one\ntwo\n") == 8
        > f = open("a.txt"); lines = list(f); f.close()
        lines == ["one\n", "two\n"] and f.closed and f.name == "a.txt" and f.mode == "r"
        > open("a.txt", "a").write("dr\u00e9i\n")
        open("a.txt", encoding="utf-8").read() == "one\ntwo\ndr\u00e9i\n"
        open("a.txt", "rb").read()[-5:] == b"\xc3\xa9i\n" or open("a.txt", "rb").read().endswith(b"\xc3\xa9i\n")
        > f = open("a.txt", "r+"); f.seek(4); f.write("TWO"); f.seek(0)
        f.read() == "one\nTWO\ndr\u00e9i\n"
        > f.truncate(3); f.close()
        Path("a.txt").read_text() == "one" and Path("a.txt").stat().st_size == 3
        > open("crlf.txt", "w", newline="\r\n").write("x\ny\n")
        open("crlf.txt", "rb").read() == b"x\r\ny\r\n" and open("crlf.txt").read() == "x\ny\n"
        "#,
    );
}

#[test]
fn binary_files() {
    all_true(
        r#"
        > f = open("b.bin", "wb+"); f.write(bytes(range(256))); f.seek(-6, 2)
        f.read(2) == b"\xfa\xfb" and f.tell() == 252
        f.seek(10) == 10 and f.read(1) == b"\n"
        > f.close()
        os.path.getsize("b.bin") == 256
        > b = bytearray(4); f = open("b.bin", "rb", buffering=0)
        f.readinto(b) == 4 and b == b"\0\1\2\3" and type(f).__name__ == "FileIO"
        > f.close()
        > open("big.bin", "wb").write(b"x" * 100_000)
        len(open("big.bin", "rb").read()) == 100_000
        > fd = os.open("low.bin", os.O_CREAT | os.O_RDWR); os.write(fd, b"abc"); os.lseek(fd, 1, 0)
        os.read(fd, 10) == b"bc" and os.fstat(fd).st_size == 3
        > os.close(fd)
        "#,
    );
}

#[test]
fn folders() {
    all_true(
        r#"
        > os.makedirs("runs/exp1/deep", exist_ok=True); Path("runs/exp1/m.pt").write_bytes(b"1")
        sorted(os.listdir("runs/exp1")) == ["deep", "m.pt"]
        os.path.isdir("runs") and os.path.isfile("runs/exp1/m.pt") and not os.path.exists("runs/none")
        [p.name for p in sorted(Path("runs").rglob("*"))] == ["exp1", "deep", "m.pt"]
        glob.glob("runs/*/*.pt") == ["runs/exp1/m.pt"]
        [(a, sorted(b), sorted(c)) for a, b, c in os.walk("runs")][1] == ("runs/exp1", ["deep"], ["m.pt"])
        sorted((e.name, e.is_dir()) for e in os.scandir("runs/exp1")) == [("deep", True), ("m.pt", False)]
        > os.rename("runs/exp1", "runs/exp2"); shutil.copy("runs/exp2/m.pt", "copy.pt")
        open("copy.pt", "rb").read() == b"1" and os.path.isdir("runs/exp2/deep")
        > os.chdir("runs")
        os.getcwd() == "/home/learner/runs" and os.path.abspath("x") == "/home/learner/runs/x"
        > os.chdir(".."); shutil.rmtree("runs")
        not os.path.exists("runs") and os.path.expanduser("~") == "/home/learner"
        > os.replace("copy.pt", "moved.pt"); os.remove("moved.pt")
        os.listdir() == []
        "#,
    );
}

#[test]
fn temporary_files_pickles_archives_and_tables() {
    all_true(
        r#"
        > import pickle, json, csv, zipfile, gzip, logging
        > f = tempfile.NamedTemporaryFile("w+", delete=False); f.write("t"); f.close()
        open(f.name).read() == "t" and f.name.startswith("/tmp/")
        > d = tempfile.TemporaryDirectory(); name = d.name; d.cleanup()
        not os.path.exists(name)
        > pickle.dump({"a": [1, 2.5, None]}, open("p.pkl", "wb"))
        pickle.load(open("p.pkl", "rb")) == {"a": [1, 2.5, None]}
        > json.dump([1, {"k": "v"}], open("j.json", "w"))
        json.load(open("j.json")) == [1, {"k": "v"}]
        > w = csv.writer(open("c.csv", "w", newline="")); w.writerows([["a", "b"], [1, "x,y"]]); del w
        list(csv.DictReader(open("c.csv"))) == [{"a": "1", "b": "x,y"}]
        > z = zipfile.ZipFile("z.zip", "w", zipfile.ZIP_DEFLATED); z.writestr("in.txt", "hi" * 50); z.close()
        zipfile.ZipFile("z.zip").read("in.txt") == b"hi" * 50
        > g = gzip.open("g.gz", "wb"); g.write(b"zip" * 100); g.close()
        gzip.open("g.gz").read() == b"zip" * 100
        > logging.basicConfig(filename="log.txt", level=logging.INFO, force=True); logging.info("hello %d", 3)
        open("log.txt").read() == "INFO:root:hello 3\n"
        "#,
    );
}

#[test]
fn errors_are_pythons() {
    lab(|lab| {
        lab.out("import os\nopen('f', 'w').close()\nos.mkdir('d')");
        for (text, class, message) in [
            ("open('nope.txt')", "FileNotFoundError", "[Errno 2] No such file or directory: 'nope.txt'"),
            ("open('d')", "IsADirectoryError", "[Errno 21] Is a directory: 'd'"),
            ("open('f/x')", "NotADirectoryError", "[Errno 20] Not a directory: 'f/x'"),
            ("open('f', 'x')", "FileExistsError", "[Errno 17] File exists: 'f'"),
            ("os.mkdir('d')", "FileExistsError", "[Errno 17] File exists: 'd'"),
            ("open('none/x', 'w')", "FileNotFoundError", "[Errno 2] No such file or directory: 'none/x'"),
            ("os.rename('q', 'r')", "FileNotFoundError", "[Errno 2] No such file or directory: 'q' -> 'r'"),
            ("open('f', 'q')", "ValueError", "invalid mode: 'q'"),
            ("open('f', 'rw')", "ValueError", "must have exactly one of create/read/write/append mode"),
            ("open('f', 'rb', encoding='utf-8')", "ValueError", "binary mode doesn't take an encoding argument"),
            ("open('f').write('x')", "UnsupportedOperation", "not writable"),
            ("open('f', 'w').read()", "UnsupportedOperation", "not readable"),
            ("os.read(77, 1)", "OSError", "[Errno 9] Bad file descriptor"),
            ("open('a\\0b')", "ValueError", "embedded null character"),
        ] {
            let error = lab.error(text);
            assert_eq!((error.class.as_str(), error.message.as_str()), (class, message), "{text}");
            assert!(!error.traceback.contains("<rushlight"), "{}", error.traceback);
        }
    });
}

#[test]
fn a_full_disk_is_an_error() {
    lab(|lab| {
        let error = lab.error("with open('big', 'wb') as f:\n    f.truncate(600 << 20)");
        assert_eq!((error.class.as_str(), error.message.as_str()), ("OSError", "[Errno 28] No space left on device"));
        lab.out("import os\nos.remove('big')\nopen('small', 'w').write('x')");
    });
}

#[test]
fn a_module_of_the_learners_own_can_be_imported() {
    lab(|lab| {
        lab.out(
            "open('helper.py', 'w').write('def twice(x):\\n    return 2 * x\\n\\ndef bad():\\n    return 1 / 0\\n')",
        );
        assert_eq!(lab.out("import helper\nprint(helper.twice(4))"), "8\n");
        let error = lab.error("helper.bad()");
        assert!(error.traceback.contains("helper.py\", line 5, in bad\n    return 1 / 0"), "{}", error.traceback);
        assert_eq!(error.line, Some(1));
    });
}
