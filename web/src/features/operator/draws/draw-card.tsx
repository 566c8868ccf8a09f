import { downloadDrawReport } from '@/api/endpoints/operator';
import type { AdminDraw } from '@/api/wire-operator';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { saveFile } from '@/shared/save-file';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { amountText } from '../components/money';
import { Tag } from '../components/common';
import { BusyButton } from '../components/busy-button';
import { useActionWithFeedback } from '../session/use-action';
import { DrawStatusTag } from './draw-tag';
import { gameDateText } from './game-date';
import { isTestDraw } from './hidden-test-draws';
import { orphanedTicketsText, soldTicketCount } from './sold-tickets';

export type DrawDialogKind = 'tickets' | 'undo' | 'cancel' | 'move';

interface DrawCardProps {
  draw: AdminDraw;
  nowMs: number;
  onDo: (what: DrawDialogKind) => void;
}

/** One draw: game, numbers and actions (specification lines C:62-63). */
export function DrawCard({ draw, nowMs, onDo }: DrawCardProps) {
  const report = useActionWithFeedback();
  const download = () =>
    report.run(async () => saveFile(await downloadDrawReport(draw.drawNumber)), {
      failed: O.downloadFailed,
      failedText: O.downloadFailedText,
      fixed: true,
    });
  const open = draw.status === 'active' || draw.status === 'closed';
  // An active draw past its kick-off is closed, even if its record still says active (decision
  // E-1).
  const status =
    draw.status === 'active' && Date.parse(draw.gameDate) <= nowMs ? 'closed' : draw.status;
  const orphaned = orphanedTicketsText(draw.orphanedTickets);
  return (
    <article
      className="card ops-draw"
      aria-label={`${draw.homeTeam} v ${draw.awayTeam}, ${draw.serialNumber || O.serialUnknown}`}
    >
      <div className="ops-draw-top">
        <DrawStatusTag status={status} />
        {isTestDraw(draw) ? <Tag kind="plain">Test</Tag> : null}
        {draw.archived ? <Tag kind="plain">Archived</Tag> : null}
        <span className="ops-serial">{draw.serialNumber || O.serialUnknown}</span>
      </div>
      <h2>
        {draw.homeTeam} <span className="v">v</span> {draw.awayTeam}
      </h2>
      <p className="meta">
        {draw.clubName}
        {draw.league ? ` · ${draw.league}` : ''}
      </p>
      <p className="meta">{gameDateText(draw.gameDate, draw.timezone)}</p>
      <dl className="ops-draw-sums">
        <div>
          <dt>Ticket price</dt>
          <dd>{amountText(draw.ticketPrice)}</dd>
        </div>
        <div>
          <dt>Tickets sold</dt>
          <dd>
            {soldTicketCount(draw)}/{TICKETS_PER_DRAW}
            {orphaned ? <small>{orphaned}</small> : null}
          </dd>
        </div>
        <div>
          <dt>Revenue</dt>
          <dd>{amountText(draw.revenue)}</dd>
        </div>
      </dl>
      <div className="progress" aria-hidden="true">
        <span
          style={{ '--part': soldTicketCount(draw) / TICKETS_PER_DRAW } as React.CSSProperties}
        />
      </div>
      {draw.status === 'completed' && draw.winningTicketSerial ? (
        <p className="meta">
          #{draw.homeFirstTryScorer} &amp; #{draw.awayFirstTryScorer} · {draw.winningTicketSerial}
          {draw.winningTicketSold === false ? ', not sold' : ''}
          {draw.payoutStatus ? ` · payout ${draw.payoutStatus}` : ''}
        </p>
      ) : null}
      <div className="ops-draw-actions">
        <button type="button" className="btn small sec" onClick={() => onDo('tickets')}>
          {O.viewTickets}
        </button>
        <BusyButton className="btn small sec" busy={report.busy} onPress={() => void download()}>
          {O.downloadReport}
        </BusyButton>
        {draw.status === 'completed' ? (
          <button type="button" className="btn small sec" onClick={() => onDo('undo')}>
            {O.undoResults}
          </button>
        ) : null}
      </div>
      {open ? (
        <div className="ops-draw-more">
          <button type="button" className="link-btn" onClick={() => onDo('move')}>
            Move kick-off
          </button>
          <button type="button" className="link-btn is-danger" onClick={() => onDo('cancel')}>
            Cancel draw
          </button>
        </div>
      ) : null}
    </article>
  );
}
