import { Component, type ReactNode } from 'react';
import { PUBLIC_TEXTS as S } from '@/shared/strings';

interface CrashBoundaryProps {
  children: ReactNode;
  onCrash?: (error: Error) => void;
}

/** Replaces a crashed screen with the error, its details collapsed, and a reload button. */
export class CrashBoundary extends Component<CrashBoundaryProps, { error: Error | null }> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidCatch(error: Error) {
    this.props.onCrash?.(error);
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <main className="plain-page" id="main">
        <h1>{S.somethingWentWrong}</h1>
        <p>{error.message}</p>
        <details>
          <summary>Technical details</summary>
          <pre tabIndex={0}>{error.stack}</pre>
        </details>
        <div className="actions">
          <button type="button" className="btn" onClick={() => window.location.reload()}>
            {S.reloadPage}
          </button>
        </div>
      </main>
    );
  }
}
