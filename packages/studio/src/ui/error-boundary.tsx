/** Error boundary: a component that throws shows its error, and the rest of the page keeps working. */
import { Component, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  /** The name shown in the error. */
  readonly name: string;
  /** What the children show. When it changes, the error is cleared. */
  readonly of: unknown;
  readonly onRestart?: (() => void) | undefined;
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly error?: Error | undefined;
  readonly of: unknown;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { of: this.props.of };

  static getDerivedStateFromError(error: unknown): Partial<ErrorBoundaryState> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps({ of }: ErrorBoundaryProps, state: ErrorBoundaryState): ErrorBoundaryState | null {
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
