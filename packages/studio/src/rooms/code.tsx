/** The code room: the module of the example, to be changed and run again. */
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import type { Runs } from '../run/runs.ts';
import { Running } from '../running.tsx';
import type { Place } from '../top.tsx';
import { Editor, firstSyntaxMistake, type Mistake } from '../ui/editor.ts';

export function Code({ runs, place }: { runs: Runs; place: Place }): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(undefined);
  const run = runs.current;
  const { task } = run;
  const [text, setText] = useState(() => runs.draft(task));
  const [syntax, setSyntax] = useState<Mistake>();
  const isChanged = text !== run.source;

  const go = useCallback(() => {
    const source = editor.current?.text ?? '';
    const mistake = firstSyntaxMistake(source);
    setSyntax(mistake);
    if (!mistake) runs.replace(runs.current.settings, { source });
  }, [runs]);

  // Each task has an editor of its own, as what can be undone belongs to it.
  useEffect(() => {
    if (!box.current) return;
    const note = (text: string): void => {
      runs.setDraft(task, text);
      setText(text);
    };
    const made = new Editor(box.current, runs.draft(task), { onChange: note, onRun: go });
    editor.current = made;
    return () => made.close();
  }, [runs, task, go]);
  useEffect(() => editor.current?.light(place.line === undefined ? [] : [place.line]), [place]);

  const { failure } = run;
  const mistake = syntax ?? (failure?.line === undefined || isChanged ? undefined : { ...failure, line: failure.line });
  useEffect(() => editor.current?.mark(mistake), [mistake?.line, mistake?.message]);

  return (
    <div className="room code">
      <header>
        <h2>
          {run.task.title}
          <small>model.js{isChanged ? ', changed' : ''}</small>
        </h2>
        <button type="button" disabled={run.source === run.task.source && !isChanged} onClick={() => {
          editor.current?.setText(run.task.source);
          setSyntax(undefined);
        }}>
          Undo edits
        </button>
        {runs.busy && (
          <button type="button" onClick={() => runs.stop()}>
            Stop
          </button>
        )}
        <button type="button" className="primary" onClick={go}>
          Run this model
        </button>
      </header>
      <div className="editor" ref={box} />
      <footer role="status" className={mistake || failure ? 'bad' : ''}>
        {runs.busy ? (
          <Running busy={runs.busy} onKeepGoing={() => runs.keepGoing()} />
        ) : mistake ? (
          `Line ${mistake.line}: ${mistake.message}`
        ) : (
          failure?.message ?? 'The module exports a model and a loss; Ctrl+Enter runs it.'
        )}
      </footer>
    </div>
  );
}
