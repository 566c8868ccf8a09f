import { useSetAtom } from 'jotai';
import { resolveAnomaly } from '@/api/endpoints/operator';
import type { Anomaly } from '@/api/wire-operator';
import { O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { useRefetchQueries, useSetQueryData } from '../queries/use-query';
import { useAction, type ActionState } from '../session/use-action';

export interface Resolving extends ActionState {
  /** Resolves each anomaly; true when all were resolved. */
  resolve: (anomalies: readonly Anomaly[]) => Promise<boolean>;
  /** Records that an anomaly was resolved by any action. */
  settled: (id: string) => void;
}

/** Resolves anomalies manually. The view changes only after the server confirms. */
export function useResolving(): Resolving {
  const doing = useAction();
  const learn = useSetQueryData();
  const again = useRefetchQueries();
  const toast = useSetAtom(showToastAtom);
  const settled = (id: string) => {
    learn('anomalies', (list) =>
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
    void again('stats', 'anomalies').catch(() => {});
  };
  const resolve = async (anomalies: readonly Anomaly[]) => {
    const done = await doing.run(
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
  return { ...doing, resolve, settled };
}
