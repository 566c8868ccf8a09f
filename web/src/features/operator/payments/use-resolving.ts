import { useSetAtom } from 'jotai';
import { resolveAnomaly } from '@/api/endpoints/operator';
import type { Anomaly } from '@/api/wire-operator';
import { O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { useAskAgain, useLearn } from '../answers/use-answers';
import { useDoing, type Doing } from '../session/use-act';

export interface Resolving extends Doing {
  /** Resolves each of them; true when all were. */
  resolve: (anomalies: readonly Anomaly[]) => Promise<boolean>;
  /** Takes in that one is resolved, by whatever way. */
  settled: (id: string) => void;
}

/** Resolving by hand: never shown as done before the server says so. */
export function useResolving(): Resolving {
  const doing = useDoing();
  const learn = useLearn();
  const again = useAskAgain();
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
