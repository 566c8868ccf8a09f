import type { BoardOptions } from './board-options';
import { useFitText } from './use-fit-text';

interface PurchaseQrCodeProps {
  /** Path on this site that the QR code opens. */
  path: string;
  /** Path that viewers can read and type. */
  shown: string;
  price: string;
  options: BoardOptions;
}

/**
 * The QR code: 260 px wide, 180 px when compact (specification line A:138), or 45 % of the height
 * for viewers far away.
 */
export function PurchaseQrCode({ path, shown, price, options }: PurchaseQrCodeProps) {
  const query = new URLSearchParams({
    src: 'widget',
    mode: options.compact ? 'compact' : 'fullscreen',
  });
  if (options.loc) query.set('loc', options.loc);
  const size = options.qr === 'xl' ? '45vh' : options.compact ? '180px' : '260px';
  const { host } = window.location;
  const typed = useFitText<HTMLParagraphElement>(`${host}${shown}`);
  return (
    <div className={`board-qr${options.qr === 'xl' ? ' is-xl' : ''}`}>
      <img
        src={`/api/qr.svg?url=${encodeURIComponent(`${path}?${query.toString()}`)}`}
        alt={`QR code to buy tickets at ${host}${shown}`}
        style={{ '--qr': size } as React.CSSProperties}
      />
      <div>
        <h2>Scan to play</h2>
        <p>{price} · over 18s</p>
        {/* Viewers type this address. Its draw number must not break across lines, because half
            a number is another draw. */}
        <p className="board-address" ref={typed}>
          <span>{host}</span>
          <wbr />
          <span>{shown}</span>
        </p>
      </div>
    </div>
  );
}
