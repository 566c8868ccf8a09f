import { useSetAtom, useAtomValue } from 'jotai';
import { useMemo } from 'react';
import { runAnomalyCheck, scanPaymentHistory } from '@/api/endpoints/operator';
import type { Anomaly, ScanResult } from '@/api/wire-operator';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { useQuery, useRefetchQueries } from '../queries/use-query';
import { useConsoleUrl } from '../console/address';
import { HeaderActions } from '../console/head-actions';
import { TableShortcutHints } from '../console/shortcuts';
import { useRunRequestedAction } from '../console/use-requested-action';
import { formatDuration } from '../components/relative-time';
import { StatFigure, StatFigureList, QueryResult } from '../components/common';
import { BusyButton } from '../components/busy-button';
import { useActionWithFeedback } from '../session/use-action';
import { anomalyResolutionRateText } from './anomalies';
import { AnomalyList } from './anomaly-list';

const SCANNED_HISTORY_HOURS = 24;

function useAnomalySearch() {
  const action = useActionWithFeedback();
  const refetchQueries = useRefetchQueries();
  const toast = useSetAtom(showToastAtom);
  const find = (how: () => Promise<ScanResult>, failed: string, title: string) =>
    action.run(
      async () => {
        const { newAnomalies, healed } = await how();
        toast({
          title,
          text: `${newAnomalies === 0 ? 'No new anomalies' : `${newAnomalies} new ${newAnomalies === 1 ? 'anomaly' : 'anomalies'}`}${healed ? `, ${healed} healed by itself` : ''}.`,
        });
        await refetchQueries('anomalies', 'stats').catch(() => {});
      },
      { failed },
    );
  return { busy: action.busy, find };
}

function AnomalyCheckAndScanButtons() {
  const check = useAnomalySearch();
  const scan = useAnomalySearch();
  const refresh = useActionWithFeedback();
  const refetchQueries = useRefetchQueries();
  const onCheck = () => void check.find(runAnomalyCheck, O.checkFailed, 'Check finished');
  const onScan = () =>
    void scan.find(
      () => scanPaymentHistory(SCANNED_HISTORY_HOURS),
      O.scanFailed,
      `Scan of ${SCANNED_HISTORY_HOURS} hours finished`,
    );
  useRunRequestedAction('check', onCheck);
  useRunRequestedAction('scan', onScan);
  return (
    <HeaderActions>
      <BusyButton
        className="btn small sec"
        busy={refresh.busy}
        onPress={() =>
          void refresh.run(() => refetchQueries('anomalies', 'stats'), { failed: O.refreshFailed })
        }
      >
        {O.refresh}
      </BusyButton>
      <BusyButton className="btn small sec" busy={scan.busy} onPress={onScan}>
        {O.scanHistory}
      </BusyButton>
      <BusyButton className="btn small" busy={check.busy} onPress={onCheck}>
        {O.runCheck}
      </BusyButton>
    </HeaderActions>
  );
}

function UnresolvedAnomaliesBanner({
  unresolved,
  oldest,
}: {
  unresolved: number;
  oldest: string | null | undefined;
}) {
  const now = useAtomValue(nowAtom);
  if (unresolved === 0) return null;
  return (
    <p className="ops-banner" role="status">
      {unresolved === 1 ? '1 anomaly needs action.' : `${unresolved} anomalies need action.`}
      {oldest ? ` Oldest: ${formatDuration(now - Date.parse(oldest))}.` : ''}
    </p>
  );
}

/**
 * Section 'Payment Monitor': counts and list of the payment anomalies, with buttons that search for
 * new ones.
 */
export function PaymentsSection() {
  const { data: stats, error: statsError } = useQuery('stats');
  const list = useQuery('anomalies');
  const { read } = useConsoleUrl();
  const status = read('status');
  const type = read('type');
  const filtered = useMemo(
    () =>
      list.data?.filter(
        (anomaly: Anomaly) =>
          (!type || anomaly.type === type) &&
          (!status || (status === 'resolved') === anomaly.resolved),
      ),
    [list.data, status, type],
  );
  // Waits for the counts above the list, so that the list does not move when they load.
  const data = stats || statsError ? filtered : undefined;
  const isHere = data !== undefined || list.error !== null;
  return (
    <>
      <AnomalyCheckAndScanButtons />
      <StatFigureList label={O.paymentMonitor}>
        <StatFigure label={O.total} value={stats?.total} />
        <StatFigure
          label={O.unresolved}
          value={stats?.unresolved}
          tone={stats && stats.unresolved > 0 ? 'warn' : undefined}
        />
        <StatFigure label={O.resolved} value={stats?.resolved} />
        <StatFigure label={O.successRate} value={stats && anomalyResolutionRateText(stats)} />
      </StatFigureList>
      {stats && isHere ? (
        <UnresolvedAnomaliesBanner
          unresolved={stats.unresolved}
          oldest={stats.oldestUnresolvedAt}
        />
      ) : null}
      <QueryResult
        data={data}
        error={list.error}
        refetch={list.refetch}
        title="The anomalies did not load"
      >
        {(anomalies) => <AnomalyList anomalies={anomalies} all={list.data ?? []} stats={stats} />}
      </QueryResult>
      {isHere ? <TableShortcutHints act={O.markResolved} /> : null}
    </>
  );
}
