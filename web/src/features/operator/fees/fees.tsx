import { useCallback, useEffect, useState } from 'react';
import { downloadFeesReport, fetchPlatformFees } from '@/api/endpoints/operator';
import type { FeeDraw, PlatformFees } from '@/api/wire-platform';
import { formatDollars } from '@/shared/money';
import { saveFile } from '@/shared/save-file';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { useQuery } from '../queries/use-query';
import { useConsoleUrl } from '../console/address';
import { HeaderActions } from '../console/head-actions';
import { DrawStatusTag } from '../draws/draw-tag';
import { isTestDraw, useHideTestDraws } from '../draws/hidden-test-draws';
import { gameDateText } from '../draws/game-date';
import { amountText, percentText, signedCents, sumText } from '../components/money';
import { FactList, StatFigure, StatFigureList, QueryResult } from '../components/common';
import { BusyButton } from '../components/busy-button';
import { useActionWithFeedback } from '../session/use-action';
import type { Column } from '../table/columns';
import { DataTable } from '../table/data-table';

const FEE_COLUMNS: readonly Column<FeeDraw>[] = [
  {
    id: 'draw',
    header: 'Draw',
    name: true,
    value: ({ serialNumber }) => serialNumber,
    cell: ({ serialNumber, homeTeam, awayTeam }) => (
      <span className="ops-two">
        <strong>{serialNumber}</strong>
        <small>
          {homeTeam} v {awayTeam}
        </small>
      </span>
    ),
  },
  { id: 'club', header: 'Club', value: ({ clubName }) => clubName },
  {
    id: 'gameDate',
    header: 'Game date',
    value: ({ gameDate }) => gameDate,
    text: ({ gameDate, timezone }) => gameDateText(gameDate, timezone),
  },
  {
    id: 'status',
    header: 'Status',
    value: ({ status }) => status,
    cell: ({ status }) => <DrawStatusTag status={status} />,
  },
  {
    id: 'ticketsSold',
    header: 'Sold',
    end: true,
    value: ({ ticketsSold }) => ticketsSold,
    total: (rows) => String(rows.reduce((sum, row) => sum + row.ticketsSold, 0)),
  },
  {
    id: 'revenue',
    header: 'Revenue',
    end: true,
    value: ({ revenue }) => signedCents(revenue),
    text: ({ revenue }) => amountText(revenue),
    total: (rows) => sumText(rows.map((row) => row.revenue)),
  },
  {
    id: 'platformFee',
    header: 'Platform fee',
    end: true,
    value: ({ platformFee }) => signedCents(platformFee),
    text: ({ platformFee }) => amountText(platformFee),
    cell: ({ platformFee, capped }) => (
      <>
        {amountText(platformFee)}
        {capped ? <small className="meta"> cap</small> : null}
      </>
    ),
    total: (rows) => sumText(rows.map((row) => row.platformFee)),
  },
  {
    id: 'capped',
    header: 'Cap reached',
    hidden: true,
    value: ({ capped }) => (capped ? 'yes' : 'no'),
  },
];

function useFeesReport(from: string, to: string) {
  const [data, setData] = useState<PlatformFees | undefined>();
  const [error, setError] = useState<Error | null>(null);
  const refetch = useCallback(async () => {
    setError(null);
    try {
      setData(await fetchPlatformFees(from, to));
    } catch (failure) {
      setError(failure as Error);
    }
  }, [from, to]);
  useEffect(() => void refetch(), [refetch]);
  return { data, error, refetch };
}

/**
 * Section 'Platform Fees Report': the fees charged, by draw and in sum, on screen and as a PDF
 * (specification line C:92).
 */
export function FeesSection() {
  const { read, write } = useConsoleUrl();
  const from = read('from');
  const to = read('to');
  const fees = useFeesReport(from, to);
  const pdf = useActionWithFeedback();
  const download = () =>
    void pdf.run(async () => saveFile(await downloadFeesReport(from, to)), {
      failed: O.downloadFailed,
      failedText: O.feesDownloadFailedText,
      fixed: true,
    });
  return (
    <>
      <HeaderActions>
        <BusyButton className="btn small" busy={pdf.busy} onPress={download}>
          Download PDF
        </BusyButton>
      </HeaderActions>
      <div className="card ops-row ops-period" role="group" aria-label="Period">
        <label>
          From{' '}
          <input
            type="date"
            value={from}
            max={to || undefined}
            onChange={(event) => write({ from: event.currentTarget.value })}
          />
        </label>
        <label>
          To{' '}
          <input
            type="date"
            value={to}
            min={from || undefined}
            onChange={(event) => write({ to: event.currentTarget.value })}
          />
        </label>
        {from || to ? (
          <button type="button" className="link-btn" onClick={() => write({ from: '', to: '' })}>
            All time
          </button>
        ) : (
          <span className="meta">All time</span>
        )}
      </div>
      <QueryResult {...fees} title="The fees did not load">
        {(report) => (
          <>
            <StatFigureList label="Revenue summary">
              <StatFigure label="Total revenue" value={amountText(report.totalRevenue)} />
              <StatFigure label="Platform fees" value={amountText(report.platformFees)} />
              <StatFigure label="Club revenue" value={amountText(report.clubRevenue)} />
              <StatFigure label="Prize money" value={amountText(report.prizeMoney)} />
            </StatFigureList>
            <TestDrawsNote report={report} />
            <FeeStructure report={report} />
            <DataTable
              label="Fees by draw"
              rows={report.draws}
              rowId={(draw) => String(draw.drawNumber)}
              columns={FEE_COLUMNS}
              order="-gameDate"
              empty={<strong>No draws in this period.</strong>}
            />
          </>
        )}
      </QueryResult>
    </>
  );
}

/**
 * Explains why the sums differ from the overview: the report includes hidden test draws, the
 * overview does not.
 */
function TestDrawsNote({ report }: { report: PlatformFees }) {
  const hidden = useHideTestDraws().on;
  const all = useQuery('draws').data;
  const tests = new Set(all?.filter(isTestDraw).map((draw) => draw.drawNumber));
  const count = report.draws.filter((draw) => tests.has(draw.drawNumber)).length;
  if (!hidden || count === 0) return null;
  return (
    <p className="meta">
      These sums include {count} test {count === 1 ? 'draw' : 'draws'}, which the other sections
      hide.
    </p>
  );
}

function FeeStructure({ report }: { report: PlatformFees }) {
  const card = useQuery('configuration').data;
  return (
    <section className="card panel" aria-labelledby="structure-title">
      <h2 id="structure-title">Fee structure</h2>
      <FactList
        facts={[
          ['Platform fee', `${percentText(report.feeRateBps)} of a draw’s ticket revenue`],
          [
            'Cap',
            `${formatDollars(report.feeCapCents)} a draw, reached at about ${formatDollars(report.capReachedAtCents)}`,
          ],
          ['Collected', 'with each payment, until the cap is reached'],
          ...(card
            ? [
                [
                  'Card processing',
                  `${percentText(card.cardFeeBps)} + ${formatDollars(card.cardFeeFixedCents)} a transaction, borne by the club unless passed on`,
                ] as const,
              ]
            : []),
          ['Card fees in this period', amountText(report.stripeFees)],
        ]}
      />
      <p className="field-hint">The platform’s documents state the fee in more than one way:</p>
      <ul className="ops-readings">
        {report.readings.map(({ source, rateBps, capCents }) => (
          <li key={source}>
            {rateBps === null ? '' : `${percentText(rateBps)}, `}
            {formatDollars(capCents)} a draw <span className="meta">({source})</span>
          </li>
        ))}
      </ul>
      <p className="field-hint">
        Charged is what stands above: {percentText(report.feeRateBps)}, at most{' '}
        {formatDollars(report.feeCapCents)}. Each draw keeps the fee it was created with.
      </p>
    </section>
  );
}
