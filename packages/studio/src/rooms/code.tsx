/** The code room: the module of the example, to be changed and run again. */
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import type { Run } from '../run/run.ts';
import type { Place } from '../top.tsx';
import { Editor, firstSyntaxMistake, type Mistake } from '../ui/editor.ts';

export function Code({ run, place }: { run: Run; place: Place }): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(undefined);
  const [text, setText] = useState(run.draft);
  const [syntax, setSyntax] = useState<Mistake>();
  const isChanged = text !== run.source;

  const go = useCallback(async () => {
    const source = editor.current?.text ?? '';
    const mistake = firstSyntaxMistake(source);
    setSyntax(mistake);
    if (mistake) return;
    await run.open(run.settings, source);
    run.start();
  }, [run]);

  // Each task has an editor of its own, as what can be undone belongs to it.
  const { task } = run;
  useEffect(() => {
    if (!box.current) return;
    const note = (text: string): void => {
      run.setDraft(text);
      setText(text);
    };
    const made = new Editor(box.current, run.draft, { onChange: note, onRun: () => void go() });
    editor.current = made;
    setText(made.text);
    setSyntax(undefined);
    return () => made.close();
  }, [run, task, go]);
  useEffect(() => editor.current?.light(place.line === undefined ? [] : [place.line]), [place, task]);

  const { failure } = run;
  const mistake = syntax ?? (failure?.line === undefined || isChanged ? undefined : { ...failure, line: failure.line });
  useEffect(() => editor.current?.mark(mistake), [mistake?.line, mistake?.message, task]);

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
          As it was
        </button>
        <button type="button" className="primary" onClick={() => void go()}>
          Run this model
        </button>
      </header>
      <div className="editor" ref={box} />
      <footer role="status" className={mistake || failure ? 'bad' : ''}>
        {mistake ? `Line ${mistake.line}: ${mistake.message}` : failure ? failure.message : 'The module exports a model and a loss; Ctrl+Enter runs it.'}
      </footer>
    </div>
  );
}
