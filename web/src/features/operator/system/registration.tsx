import { useSetAtom } from 'jotai';
import { setSetting } from '@/api/endpoints/operator';
import { O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { useAnswer, useAskAgain, useLearn } from '../answers/use-answers';
import { useDoing } from '../session/use-act';
import { SwitchRow } from './switch-row';

const KEY = 'club_registration_enabled';
const DESCRIPTION = 'Show the registration tab on the club login page';

/** Whether new clubs register themselves or join the waitlist (C:202-204); on when nobody has said (decision I-6). */
export function Registration() {
  const { data, error } = useAnswer('registration');
  const doing = useDoing();
  const learn = useLearn();
  const again = useAskAgain();
  const toast = useSetAtom(showToastAtom);
  const on = data?.enabled ?? true;
  const onSwitch = (enabled: boolean) => void doing.run(async () => {
    const { value } = await setSetting(KEY, enabled, DESCRIPTION);
    learn('registration', () => ({ enabled: value !== O.off }));
    toast({ title: value === O.off ? 'Club registration is closed' : 'Club registration is open' });
    void again('settings').catch(() => {});
  }, { failed: O.updateFailed, failedText: O.registrationFailed, fixed: true });
  return <SwitchRow label="Club registration" on={on} busy={doing.busy || (data === undefined && error === null)} onSwitch={onSwitch} words={['Open', 'Closed']} hint={on ? 'The registration tab is shown on the club login page.' : 'The tab is hidden; new clubs can join the waitlist (early access).'} />;
}
