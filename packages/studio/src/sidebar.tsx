/** The sidebar: run controls, settings (example, device, optimizer) and health messages. */
import { useId, useState, type ReactNode } from 'react';
import { Findings } from './findings.tsx';
import type { Failure, Run } from './run/run.ts';
import type { Runs } from './run/runs.ts';
import { BusyNotice } from './busy-notice.tsx';
import { DEVICES, OPTIMIZERS, type DeviceName, type OptimizerName, type Settings } from './run/settings.ts';
import { TASKS } from './tasks/index.ts';
import type { Navigate } from './top.tsx';
import { Pause, Play, Reset, Step, Stop } from './ui/icons.tsx';

export function Sidebar({ runs, go }: { runs: Runs; go: Navigate }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <aside className={isOpen ? 'side open' : 'side'}>
      <Transport runs={runs} isOpen={isOpen} onOpen={setOpen} />
      <div className="settings">
        <Tasks runs={runs} />
        <Fields runs={runs} />
        <Health runs={runs} go={go} />
      </div>
    </aside>
  );
}

/** The buttons that control the run, and on narrow pages the one that shows the settings. */
function Transport({ runs, isOpen, onOpen }: { runs: Runs; isOpen: boolean; onOpen: (isOpen: boolean) => void }): ReactNode {
  const run = runs.current;
  return (
    <div className="transport" role="group" aria-label="Training">
      {runs.busy ? (
        <button type="button" className="primary" onClick={() => runs.stop()}>
          <Stop />
          Stop
        </button>
      ) : (
        <button
          type="button"
          className="primary"
          disabled={run.state === 'loading' || run.state === 'failed'}
          onClick={() => (run.state === 'running' ? run.pause() : run.start())}
        >
          {run.state === 'running' ? <Pause /> : <Play />}
          {run.state === 'running' ? 'Pause' : run.step === 0 ? 'Start' : 'Resume'}
        </button>
      )}
      <button type="button" aria-label="Single step" title="Single step (s)" disabled={run.state !== 'paused'} onClick={() => void run.stepOnce()}>
        <Step />
      </button>
      <button type="button" aria-label="Restart" title="Restart" onClick={() => runs.restart()}>
        <Reset />
      </button>
      <button type="button" className="more" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
        {isOpen ? 'Close' : 'Settings'}
      </button>
    </div>
  );
}

function Tasks({ runs }: { runs: Runs }): ReactNode {
  const { settings, task: current } = runs.current;
  return (
    <fieldset className="tasks">
      <legend>Example</legend>
      {TASKS.map((task) => (
        <label key={task.id} className={task.id === current.id ? 'task chosen' : 'task'}>
          <input
            type="radio"
            name="task"
            checked={task.id === current.id}
            onChange={() => runs.replace({ ...settings, ...task.defaults, task: task.id })}
          />
          <b>{task.title}</b>
          <small>{task.blurb}</small>
        </label>
      ))}
    </fieldset>
  );
}

/** Device, optimizer and their settings. A change replaces the run; that of the learning rate applies at once. */
function Fields({ runs }: { runs: Runs }): ReactNode {
  const run = runs.current;
  const { settings } = run;
  const betas = useId();
  const reopen = (changed: Partial<Settings>): void => {
    runs.replace({ ...settings, ...changed }, { starts: run.state === 'running' || run.step === 0 });
  };
  return (
    <div className="fields">
      <SelectField
        label="Device"
        value={settings.device}
        options={DEVICES}
        onChange={(device: DeviceName) => reopen({ device })}
      />
      <SelectField
        label="Optimizer"
        value={settings.optimizer}
        options={OPTIMIZERS}
        onChange={(optimizer: OptimizerName) => reopen({ optimizer })}
      />
      <LearningRateField lr={settings.lr} onChange={(lr) => run.setLR(lr)} />
      {settings.optimizer === 'sgd' && (
        <NumberField label="Momentum" value={settings.momentum} min={0} max={0.999} onCommit={(momentum) => reopen({ momentum })} />
      )}
      {settings.optimizer !== 'sgd' && (
        <>
          <label htmlFor={betas}>Betas</label>
          <span className="pair">
            <NumberInput id={betas} value={settings.beta1} min={0} max={0.9999} onCommit={(beta1) => reopen({ beta1 })} />
            <NumberInput label="Second beta" value={settings.beta2} min={0} max={0.99999} onCommit={(beta2) => reopen({ beta2 })} />
          </span>
        </>
      )}
      {settings.optimizer === 'adamw' && (
        <NumberField label="Weight decay" value={settings.weightDecay} min={0} max={1} onCommit={(weightDecay) => reopen({ weightDecay })} />
      )}
      <NumberField label="Batch" value={settings.batch} min={1} max={1024} isWhole onCommit={(batch) => reopen({ batch })} />
      <NumberField label="Seed" value={settings.seed} min={0} max={1e9} isWhole onCommit={(seed) => reopen({ seed })} />
    </div>
  );
}

function SelectField<T extends string>(props: {
  label: string;
  value: T;
  options: readonly { readonly id: T; readonly label: string }[];
  onChange: (value: T) => void;
}): ReactNode {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{props.label}</label>
      <select id={id} value={props.value} onChange={(event) => props.onChange(event.target.value as T)}>
        {props.options.map((option) => (
          <option key={option.id} value={option.id}>
            {option.label}
          </option>
        ))}
      </select>
    </>
  );
}

/** The learning rate as a logarithmic slider and a number. Changes apply immediately. */
function LearningRateField({ lr, onChange }: { lr: number; onChange: (lr: number) => void }): ReactNode {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>Learning rate</label>
      <span className="rate">
        <input
          type="range"
          aria-label="Magnitude of the learning rate"
          min={-5}
          max={0}
          step={0.05}
          value={Math.log10(lr)}
          onChange={(event) => onChange(Number((10 ** Number(event.target.value)).toPrecision(2)))}
        />
        <NumberInput id={id} value={lr} min={1e-9} max={100} onCommit={onChange} />
      </span>
    </>
  );
}

function NumberField(props: { label: string; value: number; min: number; max: number; isWhole?: boolean; onCommit: (value: number) => void }): ReactNode {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{props.label}</label>
      <NumberInput {...props} id={id} />
    </>
  );
}

/** A number input that commits on Enter or blur if the value is within its bounds. */
function NumberInput(props: { id?: string; label?: string; value: number; min: number; max: number; isWhole?: boolean; onCommit: (value: number) => void }): ReactNode {
  const [text, setText] = useState<string>();
  const parsed = Number(text);
  const isGood = text === undefined || (text.trim() !== '' && parsed >= props.min && parsed <= props.max && (!props.isWhole || Number.isInteger(parsed)));
  const commit = (): void => {
    if (text !== undefined && isGood && parsed !== props.value) props.onCommit(parsed);
    setText(undefined);
  };
  return (
    <input
      id={props.id}
      aria-label={props.label}
      className="entry"
      inputMode="decimal"
      aria-invalid={!isGood}
      value={text ?? String(props.value)}
      onChange={(event) => setText(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  );
}

function Health({ runs, go }: { runs: Runs; go: Navigate }): ReactNode {
  const run: Run = runs.current;
  const { failure } = run;
  return (
    <section className="health" aria-label="Health">
      <h2>Health</h2>
      <label className="switch">
        <input type="checkbox" checked={run.choices.stopsOnNan} onChange={(event) => run.setStopsOnNan(event.target.checked)} />
        Stop on NaN or infinity
      </label>
      <Findings
        failure={failure && <Failed failure={failure} go={go} onResume={() => void run.resume()} />}
        notice={runs.busy ? <BusyNotice busy={runs.busy} onKeepGoing={() => runs.keepGoing()} /> : run.notice}
        findings={run.findings}
        isMeasured={run.flow.length > 0}
        good="All values are finite and every layer is learning."
      />
    </section>
  );
}

/** The failure message with links to its source line, graph node and last good step. */
function Failed({ failure: { message, line, node, path, good }, go, onResume }: { failure: Failure; go: Navigate; onResume: () => void }): ReactNode {
  const target = node !== undefined ? { node } : path !== undefined ? { path } : undefined;
  return (
    <>
      {message}
      {line !== undefined && (
        <button type="button" className="link" onClick={() => go({ panel: 'code', line })}>
          Show line {line}
        </button>
      )}
      {target && (
        <button type="button" className="link" onClick={() => go({ panel: 'graph', ...target })}>
          Show in graph
        </button>
      )}
      {good !== undefined && (
        <button type="button" className="link" title="Restores the weights of that step; the learning rate stays as set now" onClick={onResume}>
          Resume from step {good.toLocaleString('en')}
        </button>
      )}
    </>
  );
}
