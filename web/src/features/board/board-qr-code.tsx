import type { BoardOptions } from './board-options';
import { FittedText } from './fitted-text';

interface BoardQrCodeProps {
  /** Path on this site that the QR code opens. */
  path: string;
  title: string;
  note: string;
  /** What the code is for, for screen readers. */
  purpose: string;
  options: BoardOptions;
}

/**
 * The QR code on a white ticket. At 1920 × 1080 the code is 260 px wide, 180 px when compact
 * (specification line A:138). The styles scale it with the screen.
 */
export function BoardQrCode({ path, title, note, purpose, options }: BoardQrCodeProps) {
  const query = new URLSearchParams({
    src: 'widget',
    mode: options.compact ? 'compact' : 'fullscreen',
  });
  if (options.loc) query.set('loc', options.loc);
  const target = encodeURIComponent(`${path}?${query.toString()}`);
  return (
    <div className="board-qr">
      <div className="board-ticket">
        {/* The ticket around the code is white and at least four modules wide, so the code needs no
            margin of its own and can be larger. */}
        <img
          src={`/api/qr.svg?margin=none&url=${target}`}
          alt={`${purpose} at ${window.location.host}${path}`}
        />
        <span className="board-tear" aria-hidden="true" />
        <div className="board-stub">
          <FittedText as="h2" className="board-stub-title" text={title} />
          <FittedText className="board-stub-note" text={note} breakBelow={0.9} />
        </div>
      </div>
    </div>
  );
}
