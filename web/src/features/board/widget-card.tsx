import './widget-card.css';
import { useAtomValue } from 'jotai';
import { useEffect, useRef } from 'react';
import type { WidgetResponse } from '@/api/wire-public';
import { clockTimeLeftText, pageUrgencyBand } from '@/features/shared-live/countdown';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { formatWholeDollars } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { CrossingLogo } from '@/shared/ui/crossing';
import { usePageTitle } from '@/shared/ui/page-title';
import { useWidget } from './use-widget';

/**
 * Posts the height of this frame to the embedding page, where `/widgets/live.js` listens. Any site
 * may embed the card, so any origin may receive the message.
 */
function useReportHeightToEmbedder() {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    const card = ref.current;
    if (!card || window.parent === window) return;
    const tell = () =>
      window.parent.postMessage(
        { footballDoubles: 'height', height: Math.ceil(card.getBoundingClientRect().height) },
        '*',
      );
    const watch = new ResizeObserver(tell);
    watch.observe(card);
    return () => watch.disconnect();
  }, []);
  return ref;
}

/**
 * One draw or offer as a card embedded in another site. The card polls one endpoint, stores nothing
 * and opens the purchase in a new window.
 */
export function WidgetCard({ ask }: { ask: () => Promise<WidgetResponse> }) {
  const { widget, missing } = useWidget(ask);
  const query = new URLSearchParams(window.location.search);
  const ref = useReportHeightToEmbedder();
  usePageTitle(widget?.title ?? S.brand);
  return (
    <main
      ref={ref}
      id="main"
      className={`widget${query.get('theme') === 'dark' ? ' is-dark' : ''}`}
      aria-busy={!widget && !missing}
    >
      {widget ? (
        <WidgetCardContent
          widget={widget}
          loc={query.get('loc')}
          code={query.get('qr') === 'yes'}
        />
      ) : (
        <h1>{missing ? 'This draw is no longer here' : S.brand}</h1>
      )}
      <p className="widget-foot">
        <span>
          <CrossingLogo dark={query.get('theme') === 'dark'} /> {S.brand}
        </span>
        <span>18+</span>
      </p>
    </main>
  );
}

function WidgetCardContent({
  widget,
  loc,
  code,
}: {
  widget: WidgetResponse;
  loc: string | null;
  code: boolean;
}) {
  const buy = new URL(widget.purchaseUrl, window.location.href);
  buy.searchParams.set('src', 'widget');
  buy.searchParams.set('mode', 'embed');
  if (loc) buy.searchParams.set('loc', loc);
  const now = useAtomValue(nowAtom);
  const closesAt = Date.parse(widget.earliestClosesAt ?? widget.closesAt ?? '');
  const onSale =
    ['active', 'open', 'locked', S.scheduled].includes(widget.status) && !(closesAt <= now);
  const off = widget.status === 'cancelled';
  const full = widget.ticketsCap !== null && widget.ticketsSold >= widget.ticketsCap;
  return (
    <>
      <h1>{widget.title}</h1>
      <p className="widget-when">
        <StatusPill widget={widget} closesAt={closesAt} onSale={onSale} />
      </p>
      <dl>
        <div>
          <dt>Prize pool</dt>
          <dd className="num">{off ? 'None' : formatWholeDollars(widget.prizePoolCents)}</dd>
        </div>
        {off ? (
          <div>
            <dt>Tickets</dt>
            <dd className="num">Refunded</dd>
          </div>
        ) : (
          <div>
            <dt>Tickets sold</dt>
            <dd className="num">
              {widget.ticketsSold}
              {widget.ticketsCap ? ` / ${widget.ticketsCap}` : ''}
            </dd>
          </div>
        )}
      </dl>
      {widget.ticketsCap && !off ? (
        <div className="widget-bar" aria-hidden="true">
          <span
            style={{ '--part': widget.ticketsSold / widget.ticketsCap } as React.CSSProperties}
          />
        </div>
      ) : null}
      <div className="widget-action">
        {code && onSale ? (
          <img
            src={`/api/qr.svg?url=${encodeURIComponent(buy.pathname + buy.search)}`}
            alt="QR code to buy tickets"
            width="180"
            height="180"
          />
        ) : null}
        <a className="btn" href={buy.href} target="_blank" rel="noopener">
          {onSale && !full ? S.buyNow : widget.type === 'bundle' ? 'See offer' : 'See draw'}
          <span className="sr">: {widget.title}, opens a new window</span>
        </a>
      </div>
    </>
  );
}

function StatusPill({
  widget,
  closesAt,
  onSale,
}: {
  widget: WidgetResponse;
  closesAt: number;
  onSale: boolean;
}) {
  const now = useAtomValue(nowAtom);
  const opensAt = Date.parse(widget.earliestOpensAt ?? widget.opensAt ?? '');
  if (widget.status === 'completed') return <span className="pill">{S.completedCaps}</span>;
  if (widget.status === 'cancelled') return <span className="pill">Cancelled</span>;
  if (widget.status === S.scheduled && opensAt > now)
    return (
      <span className="pill" role="timer">
        Opens in {clockTimeLeftText(opensAt - now)}
      </span>
    );
  const bundle = widget.type === 'bundle';
  if (bundle && (!onSale || !(closesAt > now)))
    return <span className="pill">{S.bundleClosed}</span>;
  if (closesAt <= now) return <span className="pill">{S.awaitingResultsLower}</span>;
  if (!onSale || !(closesAt > now)) return <span className="pill">{S.drawClosed}</span>;
  return (
    <span className={`pill band-${pageUrgencyBand(now, closesAt)}`} role="timer">
      {bundle
        ? `Closes in ${clockTimeLeftText(closesAt - now)}`
        : `${clockTimeLeftText(closesAt - now)} to kick-off`}
    </span>
  );
}
