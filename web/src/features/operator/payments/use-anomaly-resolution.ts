import { useSetAtom } from 'jotai';
import { resolveAnomaly } from '@/api/endpoints/operator';
import type { Anomaly } from '@/api/wire-operator';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { useRefetchQueries, useSetQueryData } from '../queries/use-query';
import { useActionWithFeedback, type ActionState } from '../session/use-action';

export interface AnomalyResolution extends ActionState {
  /** Resolves each anomaly; true when all were resolved. */
  resolve: (anomalies: readonly Anomaly[]) => Promise<boolean>;
  /** Shows an anomaly as resolved, whichever action resolved it. */
  settled: (id: string) => void;
}

/** Resolves anomalies manually. The view changes only after the server confirms. */
export function useAnomalyResolution(): AnomalyResolution {
  const action = useActionWithFeedback();
  const setQueryData = useSetQueryData();
  const refetchQueries = useRefetchQueries();
  const toast = useSetAtom(showToastAtom);
  const settled = (id: string) => {
    setQueryData('anomalies', (list) =>
      list?.map((anomaly) =>
        anomaly.id === id
          ? {
              ...anomaly,
              resolved: true,
              resolvedAt: new Date().toISOString(),
              resolvedBy: O.superAdmin,
            }
          : anomaly,
      ),
    );
    void refetchQueries('stats', 'anomalies').catch(() => {});
  };
  const resolve = async (anomalies: readonly Anomaly[]) => {
    const done = await action.run(
      async () => {
        for (const { id } of anomalies) {
          await resolveAnomaly(id);
          settled(id);
        }
      },
      { failed: O.resolveFailed },
    );
    if (done)
      toast({
        title:
          anomalies.length === 1 ? 'Anomaly resolved' : `${anomalies.length} anomalies resolved`,
      });
    return done;
  };
  return { ...action, resolve, settled };
}
