// The cells' editor: CodeMirror 6 with only what a lesson needs, and the same highlighter for code that is only shown.
import { EditorState, StateEffect, StateField, RangeSetBuilder } from "@codemirror/state";
import { EditorView, Decoration, MatchDecorator, ViewPlugin, keymap, lineNumbers } from "@codemirror/view";
import {
  history, historyKeymap, indentLess, indentMore, moveLineDown, moveLineUp, standardKeymap, toggleComment,
} from "@codemirror/commands";
import { LRLanguage, bracketMatching, indentService, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { highlightCode, tagHighlighter, tags as t } from "@lezer/highlight";
import { parser } from "@lezer/python";

const highlighter = tagHighlighter([
  { tag: [t.keyword, t.controlKeyword, t.operatorKeyword, t.definitionKeyword, t.moduleKeyword, t.self], class: "tok-keyword" },
  { tag: [t.string, t.special(t.string), t.docString], class: "tok-string" },
  { tag: [t.number, t.bool, t.null], class: "tok-number" },
  { tag: t.comment, class: "tok-comment" },
  { tag: [t.function(t.definition(t.variableName)), t.definition(t.className), t.className], class: "tok-definition" },
  { tag: [t.function(t.variableName), t.function(t.propertyName)], class: "tok-call" },
  { tag: t.meta, class: "tok-meta" },
  { tag: [t.operator, t.arithmeticOperator, t.compareOperator, t.logicOperator, t.definitionOperator], class: "tok-operator" },
]);

const python = LRLanguage.define({ name: "python", parser, languageData: { commentTokens: { line: "#" } } });

/** Net count of brackets opened on a line, strings and comments left out. */
function openBrackets(text) {
  let depth = 0;
  const bare = text.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, "").replace(/#.*/, "");
  for (const c of bare) depth += "([{".includes(c) ? 1 : ")]}".includes(c) ? -1 : 0;
  return depth;
}

/** Where the next line starts: by the last line with text, as a Python writer expects it. */
const pythonIndent = indentService.of((context, pos) => {
  const doc = context.state.doc;
  let line = context.lineAt(pos, -1);
  let number = doc.lineAt(Math.min(line.from, doc.length)).number;
  // At the break of an Enter, lineAt gives the text before it; otherwise look at the line above.
  let text = line.text;
  if (context.simulatedBreak === null || context.simulatedBreak === undefined) {
    number -= 1;
    text = number >= 1 ? doc.line(number).text : "";
  }
  while (!text.trim() && number > 1) text = doc.line(--number).text;
  let width = /^ */.exec(text)[0].length;
  let depth = openBrackets(text);
  if (depth > 0) return width + context.unit;
  // A statement that ends with its brackets counts from where it began.
  let first = text;
  while (depth < 0 && number > 1) {
    const above = doc.line(--number).text;
    depth += openBrackets(above);
    if (depth >= 0) {
      width = /^ */.exec(above)[0].length;
      first = above;
    }
  }
  const bare = text.replace(/\s+#.*$/, "").trimEnd();
  if (bare.endsWith(":")) return width + context.unit;
  if (/^\s*(return|pass|break|continue|raise)\b/.test(first)) return Math.max(0, width - context.unit);
  return width;
});

const setFailing = StateEffect.define();

function failingMarks(doc, at) {
  const builder = new RangeSetBuilder();
  if (at && at.line >= 1 && at.line <= doc.lines) {
    const line = doc.line(at.line);
    builder.add(line.from, line.from, Decoration.line({ class: "cm-failing" }));
    const from = Math.min(line.from + (at.from ?? 0), line.to);
    const to = Math.min(line.from + (at.to ?? 0), line.to);
    if (to > from) builder.add(from, to, Decoration.mark({ class: "cm-failing-part" }));
  }
  return builder.finish();
}

/** The line an error points at. It stays until that line is edited or the cell runs again. */
const failing = StateField.define({
  create: () => Decoration.none,
  update(marks, tr) {
    for (const effect of tr.effects) if (effect.is(setFailing)) return failingMarks(tr.newDoc, effect.value);
    if (!tr.docChanged || marks.size === 0) return marks;
    let touched = false;
    marks.between(0, tr.startState.doc.length, (from) => {
      const line = tr.startState.doc.lineAt(from);
      if (tr.changes.touchesRange(line.from, line.to)) touched = true;
    });
    return touched ? Decoration.none : marks.map(tr.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const blankMatcher = new MatchDecorator({ regexp: /_{4,}/g, decoration: Decoration.mark({ class: "cm-blank" }) });
const blanks = ViewPlugin.define((view) => ({
  marks: blankMatcher.createDeco(view),
  update(update) { this.marks = blankMatcher.updateDeco(update, this.marks); },
}), { decorations: (plugin) => plugin.marks });

/** Tab fills up to the next stop; with lines selected it indents them. */
function tab(view) {
  const { state } = view;
  if (state.readOnly) return false;
  const range = state.selection.main;
  if (state.doc.lineAt(range.from).number !== state.doc.lineAt(range.to).number) return indentMore(view);
  const column = range.from - state.doc.lineAt(range.from).from;
  view.dispatch(state.update(state.replaceSelection(" ".repeat(4 - (column % 4))), { scrollIntoView: true, userEvent: "input" }));
  return true;
}

/**
 * An editor in `parent`. `on` has change(text), run(), leave() and focus().
 */
export function createEditor(parent, text, label, readOnly, on) {
  const run = () => { on.run(); return true; };
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([
          { key: "Mod-Enter", run, preventDefault: true },
          { key: "Shift-Enter", run, preventDefault: true },
          { key: "Escape", run: () => { on.leave(); return true; } },
          { key: "Tab", run: tab, shift: indentLess },
        ]),
        keymap.of([
          { key: "Mod-/", run: toggleComment },
          { key: "Alt-ArrowUp", run: moveLineUp },
          { key: "Alt-ArrowDown", run: moveLineDown },
          ...standardKeymap,
          ...historyKeymap,
        ]),
        history(),
        lineNumbers(),
        python,
        pythonIndent,
        indentUnit.of("    "),
        EditorState.tabSize.of(4),
        EditorState.readOnly.of(readOnly),
        syntaxHighlighting(highlighter),
        bracketMatching(),
        blanks,
        failing,
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", autocapitalize: "off", autocorrect: "off", spellcheck: "false" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) on.change(update.state.doc.toString());
          if (update.focusChanged && update.view.hasFocus) on.focus();
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    setText(next) {
      if (next === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next }, userEvent: "reset" });
    },
    /** Marks a line, from 1, and the columns from..to in it; 0 clears. */
    mark(line, from, to) {
      view.dispatch({ effects: setFailing.of(line > 0 ? { line, from, to } : null) });
    },
    /** Puts the cursor on a line and shows it. */
    show(line) {
      const { from } = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
      view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escape = (text) => text.replace(/[&<>]/g, (c) => escapes[c]);

/** Python as HTML, with the classes the editor uses. */
export function highlightPython(code) {
  let html = "";
  highlightCode(code, parser.parse(code), highlighter,
    (text, classes) => { html += classes ? `<span class="${classes}">${escape(text)}</span>` : escape(text); },
    () => { html += "\n"; });
  return html;
}
