/** A panel that fails says so, and the rest of the page goes on. */
import { Component, type ReactNode } from 'react';

interface GuardProps {
  /** What it is called, for people. */
  readonly name: string;
  /** What is shown; with another it is tried again. */
  readonly of: unknown;
  readonly onRestart?: (() => void) | undefined;
  readonly children: ReactNode;
}

interface GuardState {
  readonly error?: Error | undefined;
  readonly of: unknown;
}

export class Guard extends Component<GuardProps, GuardState> {
  override state: GuardState = { of: this.props.of };

  static getDerivedStateFromError(error: unknown): Partial<GuardState> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps({ of }: GuardProps, state: GuardState): GuardState | null {
    return of === state.of ? null : { of, error: undefined };
  }

  override render(): ReactNode {
    const { error } = this.state;
    const { name, onRestart, children } = this.props;
    if (!error) return children;
    return (
      <section className="broken" role="alert">
        <h2>{name} cannot be shown</h2>
        <p>{error.message}</p>
        <button type="button" onClick={() => this.setState({ error: undefined })}>
          Reload panel
        </button>
        {onRestart && (
          <button type="button" onClick={onRestart}>
            Restart
          </button>
        )}
      </section>
    );
  }
}
