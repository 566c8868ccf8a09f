import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { useQuery, useSetQueryData } from '../queries/use-query';
import { SwitchRow } from './switch-row';
import { useSetting } from './use-setting';

/**
 * Switch that decides whether new clubs register themselves or join the waitlist (specification
 * lines C:202-204). An unset setting means on (decision I-6).
 */
export function NewClubsSwitch() {
  const { data, error } = useQuery('registration');
  const setQueryData = useSetQueryData();
  const { busy, save } = useSetting({
    key: 'club_registration_enabled',
    description: 'Show the registration tab on the club login page',
    onSaved: (_, enabled) => setQueryData('registration', () => ({ enabled })),
    done: ['Club registration is open', 'Club registration is closed'],
    failed: { failedText: O.registrationFailed, fixed: true },
  });
  const on = data?.enabled ?? true;
  return (
    <SwitchRow
      label="Club registration"
      on={on}
      busy={busy || (data === undefined && error === null)}
      onSwitch={save}
      text={['Open', 'Closed']}
      hint={
        on
          ? 'The registration tab is shown on the club login page.'
          : 'The tab is hidden; new clubs can join the waitlist (early access).'
      }
    />
  );
}
