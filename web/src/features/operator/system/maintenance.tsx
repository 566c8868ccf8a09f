import { useSetAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { fetchInFlightPayments, setMaintenanceMode } from '@/api/endpoints/operator';
import type { InFlight } from '@/api/wire-operator';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { Dialog } from '@/shared/ui/dialog';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { AuditTrail } from '../audit/audit-trail';
import { useQuery, useRefetchQueries, useSetQueryData } from '../queries/use-query';
import { ErrorMessage } from '../components/common';
import { BusyButton } from '../components/busy-button';
import { useActionWithFeedback } from '../session/use-action';
import { SwitchRow } from './switch-row';

/**
 * Maintenance mode: stops new purchases only (specification lines C:197-200). Starting and ending
 * it require a confirmation.
 */
export function MaintenanceModeSetting() {
  const { data } = useQuery('maintenance');
  const action = useActionWithFeedback();
  const setQueryData = useSetQueryData();
  const refetchQueries = useRefetchQueries();
  const toast = useSetAtom(showToastAtom);
  const [requestedMode, setRequestedMode] = useState<boolean | null>(null);
  const [turn, setTurn] = useState(0);
  const on = data?.maintenanceMode ?? false;
  const close = () => setRequestedMode(null);
  const change = async (enabled: boolean) => {
    const done = await action.run(
      async () => {
        const answer = await setMaintenanceMode(enabled);
        setQueryData('maintenance', () => ({ maintenanceMode: answer.maintenanceMode }));
        toast({
          title: answer.maintenanceMode ? 'Maintenance mode is on' : 'Maintenance mode is off',
        });
      },
      { failed: O.error, failedText: O.maintenanceFailed, fixed: true },
    );
    if (!done) return;
    setTurn(turn + 1);
    void refetchQueries('settings', 'maintenance').catch(() => {});
    close();
  };
  return (
    <section className="card panel" aria-labelledby="maintenance-title">
      <h2 id="maintenance-title">Maintenance</h2>
      <SwitchRow
        label="Maintenance mode"
        on={on}
        busy={action.busy || data === undefined}
        onSwitch={setRequestedMode}
        hint={
          on
            ? 'New ticket purchases are blocked. Everything here still works.'
            : 'Normal operation. New ticket purchases are open.'
        }
      />
      <p className="ops-quote">
        <span>What customers read</span>
        {O.maintenanceMessage}
      </p>
      <AuditTrail objects="setting:maintenance_mode,system" turn={turn} />
      <Dialog
        title={requestedMode ? 'Begin maintenance?' : 'End maintenance?'}
        open={requestedMode !== null}
        onClose={close}
      >
        {requestedMode ? <InFlightPaymentsNote /> : <p>New ticket purchases open again at once.</p>}
        <ErrorMessage message={action.error} />
        <div className="actions">
          <BusyButton
            className={requestedMode ? 'btn danger' : 'btn'}
            busy={action.busy}
            onPress={() => void change(requestedMode === true)}
          >
            {requestedMode ? 'Begin maintenance' : 'End maintenance'}
          </BusyButton>
          <button type="button" className="btn sec" onClick={close}>
            Cancel
          </button>
        </div>
      </Dialog>
    </section>
  );
}

/**
 * Shows how many buyers are paying now, so that the operator does not start maintenance during a
 * rush.
 */
function InFlightPaymentsNote() {
  const [now, setNow] = useState<InFlight | null>(null);
  useEffect(() => {
    fetchInFlightPayments().then(setNow, () => {});
  }, []);
  return (
    <>
      <p>New ticket purchases stop. Payments under way finish, and everything here still works.</p>
      <p className="ops-quote">
        <span>What customers read</span>
        {O.maintenanceMessage}
      </p>
      {now ? (
        <p role="status">
          {now.reservations + now.paymentsInFlight === 0
            ? 'Nobody is buying at the moment.'
            : `Under way: ${now.reservations} ${now.reservations === 1 ? 'cart' : 'carts'} with ${now.ticketsHeld} tickets, ${now.paymentsInFlight} ${now.paymentsInFlight === 1 ? 'payment' : 'payments'}.`}
        </p>
      ) : null}
    </>
  );
}
