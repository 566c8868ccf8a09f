import type { AdminDraw, Anomaly } from '@/api/wire-operator';
import { formatDollars } from '@/shared/money';
import { gameDateText } from '../draws/game-date';
import { amountText } from '../components/money';
import { priceOfLines, ticketLinesText, type TicketLine } from './anomalies';

interface PaymentPurposeProps {
  anomaly: Pick<Anomaly, 'amount' | 'orderId'>;
  lines: readonly TicketLine[];
  draws: readonly AdminDraw[];
}

/** Names draw, tickets and money of a payment before the operator acts. */
export function PaymentPurpose({ anomaly, lines, draws }: PaymentPurposeProps) {
  const price = priceOfLines(lines, draws);
  return (
    <dl className="ops-purpose">
      {lines.map(({ drawNumber, ticketCount }) => {
        const draw = draws.find((each) => each.drawNumber === drawNumber);
        return (
          <div key={drawNumber}>
            <dt>{ticketLinesText([{ drawNumber, ticketCount }])}</dt>
            <dd>
              {draw ? (
                <>
                  {draw.homeTeam} v {draw.awayTeam}
                  <small>
                    {gameDateText(draw.gameDate, draw.timezone)}, {draw.status},{' '}
                    {draw.ticketsAvailable} left
                  </small>
                </>
              ) : (
                '–'
              )}
            </dd>
          </div>
        );
      })}
      <div>
        <dt>Money</dt>
        <dd>
          {amountText(anomaly.amount)}
          {price === null ? null : <small>the tickets cost {formatDollars(price)}</small>}
        </dd>
      </div>
    </dl>
  );
}
