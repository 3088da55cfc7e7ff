/** The code panel: an editor for the example's module. */
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import type { Runs } from '../run/runs.ts';
import { BusyNotice } from '../busy-notice.tsx';
import type { View } from '../top.tsx';
import { Editor, firstSyntaxError, type SourceError } from '../ui/editor.ts';

export function Code({ runs, view }: { runs: Runs; view: View }): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(undefined);
  const run = runs.current;
  const { task } = run;
  const [text, setText] = useState(() => runs.draft(task));
  const [syntax, setSyntax] = useState<SourceError>();
  const isChanged = text !== run.source;

  const go = useCallback(() => {
    const source = editor.current?.text ?? '';
    const mistake = firstSyntaxError(source);
    setSyntax(mistake);
    if (!mistake) runs.replace(runs.current.settings, { source });
  }, [runs]);

  // One editor per task, so that each task has its own undo history.
  useEffect(() => {
    if (!box.current) return;
    const note = (text: string): void => {
      runs.setDraft(task, text);
      setText(text);
    };
    const created = new Editor(box.current, runs.draft(task), { onChange: note, onRun: go });
    editor.current = created;
    return () => created.close();
  }, [runs, task, go]);
  useEffect(() => editor.current?.light(view.line === undefined ? [] : [view.line]), [view]);

  const { failure } = run;
  const mistake = syntax ?? (failure?.line === undefined || isChanged ? undefined : { ...failure, line: failure.line });
  useEffect(() => editor.current?.mark(mistake), [mistake?.line, mistake?.message]);

  return (
    <div className="panel code">
      <header>
        <h2>
          {run.task.title}
          <small>model.js{isChanged ? ', modified' : ''}</small>
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
          Run model
        </button>
      </header>
      <div className="editor" ref={box} />
      <footer role="status" className={mistake || failure ? 'bad' : ''}>
        {runs.busy ? (
          <BusyNotice busy={runs.busy} onKeepGoing={() => runs.keepGoing()} />
        ) : mistake ? (
          `Line ${mistake.line}: ${mistake.message}`
        ) : (
          failure?.message ?? 'The module must export `model` and `loss`. Ctrl+Enter runs it.'
        )}
      </footer>
    </div>
  );
}
