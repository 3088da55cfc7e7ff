/** CodeMirror editor for JavaScript, with the theme's colours, highlighted lines and error markers. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript, javascriptLanguage } from '@codemirror/lang-javascript';
import { HighlightStyle, bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers, type DecorationSet } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.definitionKeyword, tags.moduleKeyword, tags.controlKeyword], color: 'var(--ember-deep)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--leaf)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--water)' },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--ink)', fontWeight: '600' },
  { tag: [tags.className, tags.typeName], color: 'var(--water)' },
  { tag: [tags.punctuation, tags.operator], color: 'var(--soft)' },
]);

const frame = EditorView.theme({
  '&': { height: '100%', fontSize: '12.5px', backgroundColor: 'transparent', color: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--faint)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--hover) 55%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--ember)' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'color-mix(in srgb, var(--ember) 24%, transparent) !important' },
  '.cm-lit': { backgroundColor: 'color-mix(in srgb, var(--ember) 16%, transparent)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', border: '1px solid var(--line)' },
});

const light = StateEffect.define<readonly number[]>();

/** Highlighted lines. */
const lit = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, change) {
    for (const effect of change.effects) {
      if (!effect.is(light)) continue;
      const lines = effect.value.filter((line) => line >= 1 && line <= change.state.doc.lines);
      const marks = [...new Set(lines)].sort((a, b) => a - b).map((line) => Decoration.line({ class: 'cm-lit' }).range(change.state.doc.line(line).from));
      return Decoration.set(marks);
    }
    return before.map(change.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

export interface SourceError {
  readonly message: string;
  readonly line: number;
  readonly column?: number;
}

export class Editor {
  private readonly view: EditorView;

  constructor(parent: HTMLElement, text: string, options: { readonly isReadOnly?: boolean; readonly onChange?: (text: string) => void; readonly onRun?: () => void }) {
    const run = { key: 'Mod-Enter', run: () => (options.onRun?.(), true) };
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          options.isReadOnly ? [] : [highlightActiveLine(), lintGutter()],
          EditorState.readOnly.of(options.isReadOnly ?? false),
          keymap.of([run, ...defaultKeymap, ...historyKeymap, indentWithTab]),
          javascript(),
          syntaxHighlighting(colours),
          frame,
          lit,
          EditorView.contentAttributes.of({ 'aria-label': 'Source of the model' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) options.onChange?.(update.state.doc.toString());
          }),
        ],
      }),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  setText(text: string): void {
    if (text === this.text) return;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  /** Highlights lines and scrolls the first into view. */
  light(lines: readonly number[]): void {
    const first = lines.find((line) => line >= 1 && line <= this.view.state.doc.lines);
    const effects: StateEffect<unknown>[] = [light.of(lines)];
    if (first !== undefined) effects.push(EditorView.scrollIntoView(this.view.state.doc.line(first).from, { y: 'center' }));
    this.view.dispatch({ effects });
  }

  mark(mistake: SourceError | undefined): void {
    const { doc } = this.view.state;
    const found: Diagnostic[] = [];
    if (mistake && mistake.line >= 1 && mistake.line <= doc.lines) {
      const line = doc.line(mistake.line);
      const from = Math.min(line.to, line.from + Math.max(0, (mistake.column ?? 1) - 1));
      found.push({ from, to: line.to, severity: 'error', message: mistake.message });
    }
    this.view.dispatch(setDiagnostics(this.view.state, found));
  }

  close(): void {
    this.view.destroy();
  }
}

/** The first syntax error of a JavaScript text. */
export function firstSyntaxError(text: string): SourceError | undefined {
  let at: number | undefined;
  javascriptLanguage.parser.parse(text).iterate({
    enter: (node) => {
      if (node.type.isError) at ??= node.from;
    },
  });
  if (at === undefined) return undefined;
  const before = text.slice(0, at).split('\n');
  return { message: 'Syntax error', line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
