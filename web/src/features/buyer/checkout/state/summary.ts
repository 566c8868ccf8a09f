/**
 * The purchase summary for the thank-you page, from the session or from a copy at most one day old
 * (specification line A:158, decision C-18).
 */
import type { Draw } from '@/api/wire';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { decimalToCents, formatDollars, fractionRoundedHalfUp } from '@/shared/money';
import { readStored, writeStored } from '@/shared/storage';
import { PUBLIC_TEXTS as S } from '@/shared/strings';

export interface SummaryDraw {
  drawId: number;
  drawNumber: number;
  matchName: string;
  league: string | null;
  ticketCount: number;
  /**
   * Prize pool in decimal dollars. Estimated as 70 % of sold × price until the server sends the
   * amount (decision D-9).
   */
  prizePool: string;
  ticketsSold: number;
  totalTickets: number;
  ticketPrice: string;
  prizePercentage: number;
}

export interface PurchaseSummary {
  clubId: number | null;
  clubName: string;
  clubSlug: string;
  draws: SummaryDraw[];
  customerName: string;
  totalTickets: number;
  /** Whether this is a sample and not a real purchase (specification line A:31). */
  demo?: boolean;
}

type SummarySourceDraw = Pick<
  Draw,
  | 'id'
  | 'drawNumber'
  | 'homeTeam'
  | 'awayTeam'
  | 'league'
  | 'ticketPrice'
  | 'ticketsSold'
  | 'prizePercentage'
  | 'clubId'
  | 'clubName'
  | 'clubSlug'
>;

export function buildPurchaseSummary(
  lines: readonly { draw: SummarySourceDraw; count: number }[],
  customerName: string,
): PurchaseSummary {
  const first = lines[0]?.draw;
  return {
    clubId: first?.clubId ?? null,
    clubName: first?.clubName || S.fallbackClub,
    clubSlug: first?.clubSlug ?? '',
    customerName: customerName.trim() || S.fallbackBuyer,
    totalTickets: lines.reduce((sum, line) => sum + line.count, 0),
    draws: lines.map(({ draw, count }) => ({
      drawId: draw.id,
      drawNumber: draw.drawNumber,
      matchName: `${draw.homeTeam} v ${draw.awayTeam}`,
      league: draw.league,
      ticketCount: count,
      prizePool: formatDollars(
        fractionRoundedHalfUp(draw.ticketsSold * decimalToCents(draw.ticketPrice), 70, 100),
      ).replace(/[$,]/g, ''),
      ticketsSold: draw.ticketsSold,
      totalTickets: TICKETS_PER_DRAW,
      ticketPrice: draw.ticketPrice,
      prizePercentage: draw.prizePercentage,
    })),
  };
}

/**
 * The sample purchase of the demo page. Its data is obviously fictional, so that it is not mistaken
 * for a purchase (decision A-12).
 */
export const DEMO_SUMMARY: PurchaseSummary = {
  clubId: null,
  clubName: 'Sample Rugby League Club',
  clubSlug: '',
  customerName: 'Sample Supporter',
  totalTickets: 3,
  demo: true,
  draws: [
    {
      drawId: 1,
      drawNumber: 1,
      matchName: 'Sample Sharks v Sample Tigers',
      league: 'Demonstration league',
      ticketCount: 3,
      prizePool: '350.00',
      ticketsSold: 100,
      totalTickets: TICKETS_PER_DRAW,
      ticketPrice: '5.00',
      prizePercentage: 50,
    },
  ],
};

const SUMMARY_COPY_AGE_MS_MAX = 24 * 60 * 60_000;

/**
 * Returns whether the session could store the summary. The local copy holds no e-mail address and
 * no phone number.
 */
export function savePurchaseSummary(summary: PurchaseSummary): boolean {
  writeStored('local', S.summaryKey, { ...summary, savedAt: Date.now() });
  return writeStored('session', S.summaryKey, summary);
}

/** Whether the stored draw has everything that the thank-you page shows. */
function isSummaryDraw(draw: Partial<SummaryDraw> | null): draw is SummaryDraw {
  const numbers = [draw?.drawNumber, draw?.ticketCount, draw?.ticketsSold, draw?.totalTickets];
  return (
    typeof draw?.matchName === 'string' &&
    typeof draw.prizePool === 'string' &&
    numbers.every(Number.isFinite)
  );
}

export function readPurchaseSummary(): PurchaseSummary | null {
  const stored = readStored('session', S.summaryKey) ?? readRecentSummaryCopy();
  if (
    typeof stored !== 'object' ||
    stored === null ||
    !Array.isArray((stored as PurchaseSummary).draws)
  )
    return null;
  const summary = stored as Partial<PurchaseSummary> & Pick<PurchaseSummary, 'draws'>;
  const draws = summary.draws.filter(isSummaryDraw);
  if (draws.length === 0) return null;
  return {
    clubId: summary.clubId ?? null,
    clubName: summary.clubName || S.fallbackClub,
    clubSlug: summary.clubSlug ?? '',
    customerName: summary.customerName || S.fallbackBuyer,
    draws,
    totalTickets: summary.totalTickets ?? draws.reduce((sum, draw) => sum + draw.ticketCount, 0),
    ...(summary.demo === true ? { demo: true } : {}),
  };
}

function readRecentSummaryCopy(): unknown {
  const copy = readStored('local', S.summaryKey);
  const savedAt = (copy as { savedAt?: unknown } | null)?.savedAt;
  return typeof savedAt === 'number' && Date.now() - savedAt < SUMMARY_COPY_AGE_MS_MAX
    ? copy
    : null;
}
