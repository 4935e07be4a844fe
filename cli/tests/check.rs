//! `rushlight check` proves sound courses and names what is wrong in others, with file and line.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Result {
    status: Option<i32>,
    out: String,
}

fn check(folder: &Path, more: &[&str]) -> Result {
    let output = Command::new(env!("CARGO_BIN_EXE_rushlight")).arg("check").arg(folder).args(more).output().unwrap();
    let out = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Result { status: output.status.code(), out }
}

/// A course of one lesson whose body begins on line 4, in a folder of its own.
fn course(name: &str, body: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("01")).unwrap();
    let contents = "title: T\nlanguages: [en]\nlessons:\n  - id: \"01\"\n    title: One\n";
    fs::write(folder.join("course.yaml"), contents).unwrap();
    fs::write(folder.join("01/lesson.en.md"), format!("---\nsummary: s\n---\n{body}")).unwrap();
    folder
}

const SOUND: &str = "\
```python setup id=base
start = 10
```

```python example setup=base
print(start)
```

```python given for=a
n = 3
```

```python exercise id=a setup=base
result = ______
```

```python solution for=a
result = start + n
print(result)
```

```python check for=a
check(\"it adds\", lambda: close(result, 13))
check(\"for other numbers too\", lambda: close(rerun(n=5).result, 15))
check(\"it prints\", output == \"13\\n\")
```
";

/// The lesson's line on which `text` stands.
fn line(body: &str, text: &str) -> usize {
    3 + body.lines().position(|line| line.contains(text)).unwrap() + 1
}

#[track_caller]
fn fails(name: &str, body: &str, at: &str, says: &[&str]) {
    let result = check(&course(name, body), &["--limit", "2"]);
    assert_eq!(result.status, Some(1), "{}", result.out);
    let place = format!("lesson.en.md:{}: ", line(body, at));
    assert!(result.out.contains(&place), "no {place} in\n{}", result.out);
    for text in says {
        assert!(result.out.contains(text), "no {text} in\n{}", result.out);
    }
}

#[test]
fn a_sound_course_is_proved() {
    let result = check(&course("sound", SOUND), &[]);
    assert_eq!(result.status, Some(0), "{}", result.out);
    assert!(
        result.out.contains(
            "all well: 1 lesson file in 1 course; examples that run: 1, starters that fail: 1, solutions that pass: 1"
        ),
        "{}",
        result.out
    );
}

#[test]
fn what_is_wrong_in_a_cell_is_named_with_its_line() {
    fails(
        "example",
        &SOUND.replace("print(start)", "print(1)\n1 / 0"),
        "1 / 0",
        &["the example `example-1` fails: ZeroDivisionError: division by zero", "1 problem"],
    );
    fails(
        "starter",
        &SOUND.replace("result = ______", "result = start + n\nprint(13)"),
        "exercise id=a",
        &["the starter of `a` passes its own checks"],
    );
    fails(
        "solution",
        &SOUND.replace("start + n", "start - n"),
        "\"it adds\"",
        &["the solution of `a` does not pass: it adds", "7", "13"],
    );
    fails("raises", &SOUND.replace("start + n", "start + m"), "start + m", &["the solution of `a` fails: NameError"]);
    fails("given", &SOUND.replace("n = 3", "n = 3 +"), "n = 3 +", &["SyntaxError"]);
    fails(
        "endless",
        &SOUND.replace("print(start)", "while True: pass"),
        "while True",
        &["the example `example-1` fails: it did not end within 2 seconds"],
    );
    let nothing = SOUND.split("check(\"it adds").next().unwrap().to_owned() + "pass\n```\n";
    fails("nothing", &nothing, "pass", &["the check block of `a` checks nothing"]);
    fails("fence", &SOUND.replace("python exercise", "python exercize"), "exercize", &["Did you mean `exercise`?"]);
    fails("link", &format!("{SOUND}\n[x](lesson:02)\n"), "[x]", &["the lesson `02`", "The lessons are: 01."]);
}

#[test]
fn languages_have_the_same_cells() {
    let folder = course("languages", SOUND);
    fs::write(folder.join("course.yaml"), "title: T\nlanguages: [en, de]\nlessons:\n  - id: \"01\"\n    title: One\n")
        .unwrap();
    let result = check(&folder, &[]);
    assert_eq!(result.status, Some(1));
    assert!(result.out.contains("lesson.de.md:1: this file is missing"), "{}", result.out);
    assert!(result.out.contains("course.yaml:4."), "{}", result.out);

    let other = format!("---\nsummary: s\n---\n{}", SOUND.replace("id=a", "id=b").replace("for=a", "for=b"));
    fs::write(folder.join("01/lesson.de.md"), other).unwrap();
    let result = check(&folder, &[]);
    assert_eq!(result.status, Some(1));
    assert!(result.out.contains("lesson.de.md:16: the cell here is `b`; in "), "{}", result.out);

    fs::write(folder.join("01/lesson.de.md"), b"---\nsummary: s\n---\n\xff\n").unwrap();
    let result = check(&folder, &[]);
    assert!(result.out.contains("lesson.de.md:4: this line is not UTF-8 text"), "{}", result.out);
}

#[test]
fn a_wrong_command_says_so() {
    let folder = course("command", SOUND);
    assert_eq!(check(&folder.join("nowhere"), &[]).status, Some(2));
    assert_eq!(check(&folder.join("01"), &[]).status, Some(2));
    assert_eq!(check(&folder, &["--lesson"]).status, Some(2));
    assert_eq!(check(&folder, &["--lesson", "02"]).status, Some(2));
    assert_eq!(check(&folder, &["--limit", "soon"]).status, Some(2));
    assert_eq!(check(&folder, &["--lesson", "01"]).status, Some(0));
}

/// The courses that come with Rushlight do what they say, in every language.
#[test]
fn our_courses_are_proved() {
    let courses = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lessons/courses");
    let result = check(&courses, &[]);
    println!("{}", result.out);
    assert_eq!(result.status, Some(0), "{}", result.out);
    assert!(result.out.contains("all well"), "{}", result.out);
}
