//! Every fault is named with its line and what to do, all of them at once, and nothing panics.

use rushlight_lessons::{Options, parse_course, parse_lesson};

/// The problems of a lesson whose body begins on line 4, as `line: message | help`.
fn faults(body: &str) -> Vec<String> {
    raw_faults(&format!("---\nsummary: s\n---\n{body}"))
}

fn raw_faults(text: &str) -> Vec<String> {
    match parse_lesson("l.md", text, &Options::default()) {
        Ok(_) => Vec::new(),
        Err(problems) => {
            assert!(!problems.0.is_empty());
            problems
                .0
                .iter()
                .map(|problem| {
                    assert_eq!(problem.file, "l.md");
                    assert!(!problem.help.is_empty(), "{problem}");
                    format!("{}: {} | {}", problem.line, problem.message, problem.help)
                })
                .collect()
        }
    }
}

fn course_faults(text: &str) -> Vec<String> {
    match parse_course("course.yaml", text) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.0.iter().map(|p| format!("{}: {} | {}", p.line, p.message, p.help)).collect(),
    }
}

#[track_caller]
fn one(found: &[String], start: &str, help: &str) {
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with(start), "{found:#?}");
    let (_, told) = found[0].split_once(" | ").unwrap();
    assert!(told.contains(help), "{found:#?}");
}

const EXERCISE: &str = "```python exercise id=a\nx = ______\n```\n```python solution for=a\nx = 1\n```\n```python check for=a\ncheck(\"one\", x == 1)\n```\n";

#[test]
fn the_sound_exercise_is_sound() {
    assert_eq!(faults(EXERCISE), Vec::<String>::new());
}

#[test]
fn front_matter() {
    one(&raw_faults("Just text.\n"), "1: this lesson has no front matter", "`summary:");
    one(&raw_faults("---\nsummary: s\n\nText\n"), "1: the front matter is never closed", "`---`");
    one(&raw_faults("---\ngoals:\n  - a\n---\n"), "1: the front matter has no `summary`", "Add `summary:");
    one(
        &raw_faults("---\nsummary: s\nsumary: t\n---\n"),
        "3: front matter has no key `sumary`",
        "Did you mean `summary`?",
    );
    one(&raw_faults("---\nsummary: a: b\n---\n"), "2: this is not valid YAML", "quotes");
    one(&raw_faults("---\nsummary: s\ngoals: one\n---\n"), "3: `goals` should be a list", "- item");
    one(&raw_faults("---\nsummary: 5\n---\n"), "2: `summary` should be text", "quotes");
    one(&raw_faults("---\nsummary:\n---\n"), "2: `summary` is empty", "Write");
    one(&raw_faults("---\n---\n"), "2: there is nothing here", "key: value");
    one(&raw_faults("---\n- a\n- b\n---\n"), "2: front matter should be `key: value` lines", "line of its own");
    assert_eq!(raw_faults("").len(), 1);
}

#[test]
fn fences() {
    one(
        &faults("```python excercise id=a\n```\n"),
        "4: there is no cell of the kind `excercise`",
        "Did you mean `exercise`?",
    );
    one(&faults("```python id=a\n```\n"), "4: there is no cell of the kind `id=a`", "python exercise id=outer");
    one(&faults("```python hint for=a\n```\n"), "4: there is no cell of the kind `hint`", "without `python`");
    one(&faults("```exercise id=a\n```\n"), "4: `exercise` needs its language", "python exercise");
    one(&faults("```py example\n1\n```\n"), "4: cells are written in `python`, not in `py`", "python example");
    one(&faults("```python exercise\nx\n```\n"), "4: this `exercise` has no `id=`", "id=outer");
    one(&faults("```hint\nx\n```\n"), "4: this `hint` has no `for=`", "for=ID");
    one(&faults("```python example name=a\nx\n```\n"), "4: `example` has no key `name`", "id, setup");
    one(&faults("```python example ids=a\nx\n```\n"), "4: `example` has no key `ids`", "Did you mean `id`?");
    one(&faults("```python solution a\nx\n```\n"), "4: `a` is not of the form `key=value`", "`for=a`");
    one(&faults("```python example id=a/b\nx\n```\n"), "4: `a/b` in `id=a/b` cannot be a name", "letters");
    one(&faults("```python example id=a id=b\nx\n```\n"), "4: `id=` stands here twice", "Remove");
    one(&faults("\n\n```python example\n\n```\n"), "6: this `example` is empty", "remove it");
    one(&faults("text\n\n```python example\nx = 1\n"), "6: this fence is never closed", "backticks");
    one(&faults("```text\nshown"), "4: this fence is never closed", "backticks");
    one(
        &faults("- item\n\n  ```python example\n  x = 1\n  ```\n"),
        "6: a cell cannot stand inside a list",
        "left margin",
    );
    one(&faults("```python example device=tpu\nx\n```\n"), "4: there is no device `tpu`", "device=gpu");
    one(&faults("```python example setup=data\nx\n```\n"), "4: there is no `setup id=data`", "Add that block");
}

#[test]
fn fences_that_are_only_shown_are_left_alone() {
    assert_eq!(
        faults("```\nx\n```\n\n```python\nx\n```\n\n~~~rust no_run\nx\n~~~\n\n````md\n```python exercise\n```\n````\n"),
        Vec::<String>::new()
    );
}

#[test]
fn parts_that_do_not_fit_together() {
    let without = |word: &str| {
        let (start, rest) = EXERCISE.split_once(&format!("```python {word} for=a")).unwrap();
        let (_, rest) = rest.split_once("\n```\n").unwrap();
        format!("{start}{rest}")
    };
    one(&faults(&without("solution")), "4: the exercise `a` has no solution", "`python solution for=a`");
    one(&faults(&without("check")), "4: the exercise `a` has no check", "`python check for=a`");
    one(&faults(&format!("{EXERCISE}{EXERCISE}"))[..1], "13: there is a cell `a` already, at line 4", "another id");
    one(
        &faults(&format!("{EXERCISE}```python check for=a\nx\n```\n")),
        "13: the exercise `a` has a check already, at line 10",
        "one fence",
    );
    one(&faults(&format!("{EXERCISE}```hint for=b\nx\n```\n")), "13: there is no exercise `b`", "are: a.");
    one(&faults("```hint for=b\nx\n```\n"), "4: there is no exercise `b`", "Add the exercise");
    one(
        &faults("```python example id=b\nx\n```\n```hint for=b\nx\n```\n"),
        "7: `b` is an example",
        "Make the cell at line 4 an exercise",
    );
    one(&faults(&EXERCISE.replace("x = 1", "x = ______")), "7: this solution still has a blank", "what belongs there");
    one(
        &faults("```python setup id=s\nx\n```\n```python setup id=s\ny\n```\n"),
        "7: there is a `setup id=s` already, at line 4",
        "another id",
    );
}

#[test]
fn widgets() {
    one(&faults("```widget\n```\n"), "4: this `widget` has no name", "broadcast");
    one(&faults("```widget broadcast a=[3,1\n```\n"), "4: `a=[3,1` is not an argument", "list such as [3,1]");
    one(&faults("```widget broadcast fast\n```\n"), "4: `fast` is not an argument", "name=value");
    one(&faults("```widget broadcast a=1 a=2\n```\n"), "4: `a=2` is not an argument", "once");
    one(&faults("```widget broadcast a=[[1]]\n```\n"), "4: `a=[[1]]` is not an argument", "list");
    one(&faults("```widget broadcast\nx\n```\n"), "4: a widget's fence holds nothing", "first line");
}

#[test]
fn prose_brings_no_markup_of_its_own() {
    one(&faults("\n<script>alert(1)</script>\n"), "5: HTML such as `<script>alert(1)</script>`", "backticks");
    one(&faults("a <b onclick=\"x()\">b\n")[..1], "4: HTML such as `<b onclick=\"x()\">`", "Markdown");
    one(&faults("a <img src=x onerror=alert(1)> b\n"), "4: HTML such as", "Markdown");
    one(&faults("[x](javascript:alert)\n"), "4: links cannot go to `javascript:`", "https:");
    one(&faults("[x](JavaScript&colon;alert)\n"), "4: links cannot go to `JavaScript:`", "https:");
    one(&faults("[x](<java\tscript:alert>)\n"), "4: links cannot go to", "https:");
    one(&faults("[x](data:text/html,y)\n"), "4: links cannot go to `data:`", "https:");
    one(&faults("![x](http://a/b.png)\n"), "4: pictures cannot come from `http:`", "beside the lesson");
    one(&faults("![](b.png)\n"), "4: this picture has no description", "what it shows");
    one(&faults("# Title\n"), "4: a lesson's text has no heading of the first level", "`##`");
}

#[test]
fn what_reaches_the_page_is_escaped() {
    let lesson = |body: &str| parse_lesson("l", &format!("---\nsummary: s\n---\n{body}"), &Options::default()).unwrap();
    for body in [
        "```html \"><script>\n<script>x</script>\n```\n",
        "`<script>`\n",
        "\\<script>\n",
        "[a](b \"\\\"><script>\")\n",
        "![a \\<script>](b \"<script>\")\n",
        "$\\text{<script>}$\n",
        "$<script>$\n",
        "## <3 \"quotes\" & <script\n",
        "| <script |\n|---|\n| a |\n",
    ] {
        for block in lesson(body).blocks {
            let rushlight_lessons::Block::Prose { html, .. } = block else { continue };
            assert!(!html.contains("<script"), "{body}: {html}");
        }
    }
}

#[test]
fn formulas() {
    one(&faults("a\n\n$\\frac{1}$\n"), "6: this formula cannot be set", "\\frac{1}");
    one(&faults("$\\nosuchthing x$\n"), "4: this formula cannot be set", "\\$");
    one(&faults("$$\\begin{matrix} 1 & 2$$\n"), "4: this formula cannot be set", "");
    one(&faults("$x^2^3$\n"), "4: this formula cannot be set", "");
}

#[test]
fn what_would_take_too_much_stack_or_time_is_refused() {
    let many = |text: &str| text.repeat(20_000);
    one(&raw_faults(&format!("---\nsummary: {}\n---\n", many("["))), "2: this is not valid YAML", "");
    one(
        &raw_faults(&format!("---\nsummary: s\ngoals:\n  {}x\n---\n", many("- "))),
        "4: this line begins too far",
        "two spaces",
    );
    one(
        &raw_faults(&format!("---\nsummary: s\ngoals:\n  {}x\n---\n", many("? "))),
        "4: this line begins too far",
        "two spaces",
    );
    one(&faults(&format!("${}x{}$\n", many("{"), many("}"))), "4: this formula cannot be set: it is longer", "");
    one(&faults(&format!("${}x$\n", "\\sqrt ".repeat(400))), "4: this formula cannot be set: more than 30", "");
    one(&faults(&format!("${}x$\n", "\\sqrt[3]".repeat(400))), "4: this formula cannot be set: more than 30", "");
    let _ = faults(&format!("{}x{}\n", many("["), many("](a)")));
    let _ = faults(&format!("{}x\n", many(">")));
    let _ = faults(&format!("{}x{}\n", many("*a "), many(" b*")));
}

#[test]
fn all_faults_of_a_file_are_told_at_once_in_the_order_of_its_lines() {
    let found = faults("# T\n\n```python exercise id=a\nx\n```\n\n<b>\n\n```python exampel\n```\n\n$\\frac{1}$\n");
    let lines: Vec<&str> = found.iter().filter_map(|fault| fault.split(':').next()).collect();
    assert_eq!(lines, ["4", "6", "6", "10", "12", "15"], "{found:#?}");
}

#[test]
fn a_faults_text_begins_with_file_and_line() {
    let problems = parse_lesson("01/lesson.en.md", "x\n", &Options::default()).unwrap_err();
    let text = problems.to_string();
    assert!(text.starts_with("01/lesson.en.md:1: this lesson has no front matter\n    Begin the file with"), "{text}");
}

#[test]
fn courses() {
    let sound = "title: T\nlanguages: [en, fr]\nlessons:\n  - id: a\n    title: A\n";
    assert_eq!(course_faults(sound), Vec::<String>::new());
    one(
        &course_faults("languages: [en]\nlessons:\n  - id: a\n    title: A\n"),
        "1: course.yaml has no `title`",
        "Add `title:",
    );
    one(&course_faults(&sound.replace("lessons", "lesson"))[..1], "1: course.yaml has no `lessons`", "Add `lessons:`");
    one(&course_faults(&sound.replace("[en, fr]", "[english]")), "2: `english` is not a language tag", "`zh-CN`");
    one(&course_faults(&sound.replace("[en, fr]", "[en, en]")), "2: the language `en` is listed twice", "Remove");
    one(&course_faults(&sound.replace("title: A", "title: {en: A}")), "5: `title` has no text for `fr`", "Add `fr:");
    one(
        &course_faults(&sound.replace("title: A", "title: {en: A, fr: B, de: C}")),
        "5: `title` has a text for `de`",
        "`languages`",
    );
    one(&course_faults(&sound.replace("    title: A\n", "")), "4: this lesson has no `title`", "Add `title:");
    one(&course_faults(&sound.replace("id: a", "id: a/../b")), "4: `a/../b` cannot be a lesson's id", "folder");
    one(&course_faults(&format!("{sound}  - id: a\n    title: B\n")), "6: the lesson `a` is listed twice", "Remove");
    one(
        &course_faults(&format!("{sound}reference: perhaps\n")),
        "6: `reference` should be true or false",
        "reference: true",
    );
    one(&course_faults(&format!("{sound}    minutes: soon\n")), "6: `minutes` should be a whole number", "minutes: 15");
    one(&course_faults(&format!("{sound}  - b\n")), "6: a lesson should be `key: value` lines", "line");
    one(&course_faults("title: [\n")[..1], "2: this is not valid YAML", "");
    one(&course_faults("title: T\ntitle: U\nlanguages: [en]\nlessons:\n  - id: a\n    title: A\n"), "2: ", "");
    one(&course_faults(""), "1: there is nothing here", "");
}

#[test]
fn nothing_panics_on_a_cut_or_a_changed_byte() {
    let text = format!(
        "---\nsummary: s\ngoals:\n  - g $x$\n---\n\n## H *e*\n\n$$\\begin{{matrix}} 1 & 2 \\\\ x^{{2}}_1 \\end{{matrix}}$$ $\\sqrt[3]{{\\frac{{a}}{{b}}}}$\n\n{EXERCISE}\n| a |\n|--|\n\n```widget w a=[1, 2] b=\"c\"\n```\n\n![a](b) [c](lesson:d) 张\n量\n"
    );
    for (index, _) in text.char_indices() {
        let (start, end) = text.split_at(index);
        let _ = parse_lesson("l", start, &Options::default());
        let _ = parse_course("l", start);
        for change in ["", "{", "}", "\\", "$", "&", "^", "`", "\n", "=", "[", "]", "\"", "<", "#", "\u{0}", "é"] {
            let mut rest = end.chars();
            rest.next();
            let changed = format!("{start}{change}{}", rest.as_str());
            let _ = parse_lesson("l", &changed, &Options::default());
        }
    }
}
