//! What a sound course and lesson become.

use rushlight_lessons::{Block, CellKind, Options, Text, Widget, WidgetValue, parse_course, parse_lesson};

const LESSON: &str = r#"---
summary: Shapes meet.
goals:
  - Say which *shape* comes out
---

Prose with $a_{i} < 1$ and `a < b`.

```python setup id=data
import torch
```

```python example setup=data
print(torch.ones(2))
```

## A section

```text
shown only
```

```python given for=outer
a = torch.arange(3)
```

```python exercise id=outer setup=data
result = ______
```

```hint for=outer
Think of **rows**.
```

```hint for=outer
Use `a[:, None]`.
```

```python solution for=outer
result = a[:, None] * a
```

```python check for=outer
check("it is a table", result.shape == (3, 3))
```

```widget broadcast a=[3, 1] b=[1,4] label="two words" rate=0.5 mode=slow
```

See [views](lesson:02-views) and [PyTorch](https://pytorch.org/), ![a picture](shape.png).
"#;

fn options() -> Options {
    Options { base: "courses/c/01/".to_owned(), lesson_base: "#/c/".to_owned() }
}

#[test]
fn a_lesson_becomes_blocks_in_order() {
    let lesson = parse_lesson("lesson.en.md", LESSON, &options()).unwrap();
    assert_eq!(lesson.summary, "Shapes meet.");
    assert_eq!(lesson.goals, ["Say which <em>shape</em> comes out"]);
    let kinds: Vec<&str> = lesson
        .blocks
        .iter()
        .map(|block| match block {
            Block::Prose { .. } => "prose",
            Block::Cell(cell) if cell.kind == CellKind::Example => "example",
            Block::Cell(_) => "exercise",
            Block::Widget(_) => "widget",
        })
        .collect();
    assert_eq!(kinds, ["prose", "example", "prose", "exercise", "widget", "prose"]);
    assert_eq!(lesson.links.len(), 1);
    assert_eq!((lesson.links[0].id.as_str(), lesson.links[0].line), ("02-views", 50));
}

#[test]
fn an_exercise_has_all_that_belongs_to_it_with_lines() {
    let lesson = parse_lesson("lesson.en.md", LESSON, &options()).unwrap();
    let example = lesson.cells().next().unwrap();
    assert_eq!((example.id.as_str(), example.file().as_str()), ("example-1", "example-1.py"));
    let cell = lesson.exercises().next().unwrap();
    assert_eq!((cell.id.as_str(), cell.line), ("outer", 27));
    assert_eq!((cell.starter.text.as_str(), cell.starter.line), ("result = ______\n", 28));
    assert_eq!((cell.setup[0].id.as_str(), cell.setup[0].code.text.as_str()), ("data", "import torch\n"));
    assert_eq!(cell.given.as_ref().unwrap().text, "a = torch.arange(3)\n");
    assert_eq!(cell.solution.as_ref().unwrap().line, 40);
    assert!(cell.check.as_ref().unwrap().text.starts_with("check("));
    let hints: Vec<&str> = cell.hints.iter().map(|hint| hint.html.trim()).collect();
    assert_eq!(hints, ["<p>Think of <strong>rows</strong>.</p>", "<p>Use <code>a[:, None]</code>.</p>"]);
}

#[test]
fn a_cell_may_be_made_for_a_gpu() {
    let text = "---\nsummary: x\n---\n\n```python example device=gpu\nx = 1\n```\n\n```python example\nx = 2\n```\n";
    let lesson = parse_lesson("lesson.en.md", text, &Options::default()).unwrap();
    assert_eq!(lesson.cells().map(|cell| cell.gpu).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn a_widget_keeps_its_arguments() {
    let lesson = parse_lesson("lesson.en.md", LESSON, &options()).unwrap();
    let widget = lesson.blocks.iter().find_map(|block| match block {
        Block::Widget(widget) => Some(widget),
        _ => None,
    });
    let int = WidgetValue::Int;
    assert_eq!(
        widget,
        Some(&Widget {
            name: "broadcast".to_owned(),
            args: vec![
                ("a".to_owned(), WidgetValue::List(vec![int(3), int(1)])),
                ("b".to_owned(), WidgetValue::List(vec![int(1), int(4)])),
                ("label".to_owned(), WidgetValue::Text("two words".to_owned())),
                ("rate".to_owned(), WidgetValue::Float(0.5)),
                ("mode".to_owned(), WidgetValue::Text("slow".to_owned())),
            ],
            line: 47,
        })
    );
}

fn html(markdown: &str) -> String {
    let text = format!("---\nsummary: s\n---\n{markdown}\n");
    let lesson = parse_lesson("lesson.en.md", &text, &options()).unwrap();
    lesson.blocks.iter().map(|block| if let Block::Prose { html, .. } = block { html.as_str() } else { "" }).collect()
}

#[test]
fn prose_becomes_html() {
    assert_eq!(html("a *b* `c < d & e`"), "<p>a <em>b</em> <code>c &lt; d &amp; e</code></p>\n");
    assert_eq!(html("## Row, by row"), "<h2 id=\"section-row-by-row\">Row, by row</h2>\n");
    assert_eq!(html("## Same\n\n## Same"), "<h2 id=\"section-same\">Same</h2>\n<h2 id=\"section-same-2\">Same</h2>\n");
    assert_eq!(
        html("```python\nprint(1 < 2)\n```"),
        "<pre tabindex=\"0\"><code class=\"language-python\">print(1 &lt; 2)\n</code></pre>\n"
    );
    assert!(html("| a | b |\n|---|---|\n| 1 | 2 |").starts_with("<div class=\"table\" tabindex=\"0\"><table>"));
    assert!(html("> [!NOTE]\n> Mind this.").contains("markdown-alert-note"));
    assert_eq!(html("that costs \\$5 and \\$6"), "<p>that costs $5 and $6</p>\n");
    assert_eq!(html("one <!-- a note to the author --> two"), "<p>one  two</p>\n");
}

#[test]
fn lines_of_chinese_join_without_a_space() {
    assert_eq!(html("张量的\n形状"), "<p>张量的形状</p>\n");
    assert_eq!(html("one\ntwo"), "<p>one\ntwo</p>\n");
    assert_eq!(html("形状\nshape"), "<p>形状\nshape</p>\n");
}

#[test]
fn links_and_pictures_get_their_addresses() {
    assert_eq!(html("[v](lesson:02-views)"), "<p><a href=\"#/c/02-views\">v</a></p>\n");
    assert_eq!(
        html("[p](https://pytorch.org/?a=1&b=2)"),
        "<p><a href=\"https://pytorch.org/?a=1&amp;b=2\" rel=\"noopener\" target=\"_blank\">p</a></p>\n"
    );
    assert_eq!(html("[d](data.csv)"), "<p><a href=\"courses/c/01/data.csv\">d</a></p>\n");
    assert_eq!(html("![s](s.png)"), "<p><img src=\"courses/c/01/s.png\" alt=\"s\" /></p>\n");
}

#[test]
fn maths_becomes_mathml() {
    let inline = html("$x^2$");
    assert!(inline.contains("<math") && inline.contains("<msup>") && !inline.contains("display=\"block\""), "{inline}");
    let display = html("$$\\frac{\\partial L}{\\partial w} = \\sum_i x_i$$");
    assert!(display.contains("display=\"block\"") && display.contains("<mfrac>"), "{display}");
    let less = html("$a < b \\text{ if <b>}$");
    assert!(less.contains("&lt;") && !less.contains("<b>"), "{less}");
}

#[test]
fn a_course_is_read() {
    let text = "title:\n  en: First steps\n  zh-CN: 第一步\nlanguages: [en, zh-CN]\nlessons:\n  - id: 01-a\n    title: {en: A, zh-CN: 甲}\n    minutes: 15\n  - id: 02-b\n    title: B\n";
    let course = parse_course("course.yaml", text).unwrap();
    assert_eq!(course.title.get("zh-CN"), "第一步");
    assert_eq!(course.title.get("zh-TW"), "第一步");
    assert_eq!(course.title.get("de"), "First steps");
    assert_eq!(course.languages, ["en", "zh-CN"]);
    assert_eq!(course.language_for("zh"), "zh-CN");
    assert_eq!(course.language_for("fr"), "en");
    assert_eq!(course.lessons.len(), 2);
    assert_eq!(course.lessons[0].minutes, Some(15));
    assert_eq!(course.lessons[0].path("en"), "01-a/lesson.en.md");
    assert_eq!(course.lessons[1].title.get("zh-CN"), "B");
    assert_eq!(Text::default().get("en"), "");
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_are_read_like_others() {
    let windows = format!("\u{feff}{}", LESSON.replace('\n', "\r\n"));
    assert_eq!(parse_lesson("a", &windows, &options()), parse_lesson("a", LESSON, &options()));
}
