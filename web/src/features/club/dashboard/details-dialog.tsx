import { useSetAtom } from 'jotai';
import { CLUB_API_PATHS, downloadDrawPoster } from '@/api/endpoints/club';
import type { Draw } from '@/api/wire';
import type { Financials } from '@/api/wire-club';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { decimalToCents, formatDollars } from '@/shared/money';
import { saveFile } from '@/shared/save-file';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { Dialog } from '@/shared/ui/dialog';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { errorText } from '../data/error-text';
import { useQuery } from '../data/use-query';
import { useHandleExpiredSession } from '../session/use-session';
import { prizeText, signedDollars, teamsText, gameTimeText } from './draw-labels';
import { SalesSection } from './sales-section';
import { DASHBOARD_POLL_INTERVAL_MS } from './use-club-draws';

/**
 * Shows all details of one draw. Polls its sums every ten seconds while open (specification line
 * B:203).
 */
export function DrawDetailsDialog({ draw, onClose }: { draw: Draw | null; onClose: () => void }) {
  return (
    <Dialog title="Draw Details" open={draw !== null} onClose={onClose}>
      {draw ? <DrawDetails draw={draw} /> : null}
    </Dialog>
  );
}

function DrawDetails({ draw }: { draw: Draw }) {
  const { data: money } = useQuery<Financials>(CLUB_API_PATHS.financials(draw.drawNumber), {
    intervalMs: DASHBOARD_POLL_INTERVAL_MS,
  });
  const showToast = useSetAtom(showToastAtom);
  const handleExpiredSession = useHandleExpiredSession();
  const onPoster = () =>
    void downloadDrawPoster(draw.drawNumber).then(
      saveFile,
      (error: unknown) =>
        handleExpiredSession(error) ||
        showToast({ title: C.downloadFailed, text: errorText(error, C.pleaseTryAgain), bad: true }),
    );
  const facts: [string, string | null | undefined][] = [
    ['Draw', draw.serialNumber],
    ['League', draw.league],
    ['Game', gameTimeText(draw)],
    ['Time zone', draw.timezone],
    ['Ticket price', formatDollars(decimalToCents(draw.ticketPrice))],
    ['Prize', `${draw.prizePercentage}% of sales${draw.roundUpPrize ? ', rounded up to $10' : ''}`],
    ['Card fee', draw.passStripeFees ? 'paid by the buyer' : 'paid by the club'],
    [
      'Contact',
      [draw.contactName, draw.contactPhone?.replaceAll(' ', '\u00a0')].filter(Boolean).join(', '),
    ],
    ['Tickets sold', `${draw.ticketsSold}/${TICKETS_PER_DRAW}`],
    ['Current prize', prizeText(draw)],
  ];
  const sums: [string, string | undefined][] = [
    ['Sales', money?.totalRevenue],
    ['Card fees', money?.actualStripeFees],
    ['Platform fee', money?.platformFee],
    ['Prize pool', draw.status === 'cancelled' ? undefined : money?.prizePool],
    ['Club receives, before the prize', money?.clubRevenue],
    ['Club profit', money?.clubProfit],
  ];
  return (
    <>
      <h3>{teamsText(draw)}</h3>
      <dl className="facts">
        {facts.map(([name, value]) =>
          value ? (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
      <SalesSection draw={draw} />
      <h3>Money</h3>
      <dl className="facts is-sums">
        {sums.map(([name, value]) =>
          money && value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{signedDollars(value)}</dd>
            </div>
          ),
        )}
      </dl>
      {money?.feesEstimated ? (
        <p className="meta">Card fees are estimated until the provider states them.</p>
      ) : null}
      <div className="row-actions">
        <button type="button" className="btn small sec" onClick={onPoster}>
          Poster with QR code (PDF)
        </button>
      </div>
    </>
  );
}
