import { useSetAtom } from 'jotai';
import { setSetting } from '@/api/endpoints/operator';
import { O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { useAnswer, useAskAgain, useLearn } from '../answers/use-answers';
import { useDoing } from '../session/use-act';
import { SwitchRow } from './switch-row';

const KEY = 'fee_passthrough_allowed';
const DESCRIPTION = 'Clubs may pass the card fee on to buyers';

/** Whether clubs may let buyers pay the card fee; where the law forbids it the operator turns it off (decision D-14). */
export function CardFeeSwitch() {
  const { data } = useAnswer('configuration');
  const doing = useDoing();
  const learn = useLearn();
  const again = useAskAgain();
  const toast = useSetAtom(showToastAtom);
  const on = data?.feePassthroughAllowed ?? true;
  const onSwitch = (allowed: boolean) => void doing.run(async () => {
    const { value } = await setSetting(KEY, allowed, DESCRIPTION);
    learn('configuration', (now) => now && { ...now, feePassthroughAllowed: value !== O.off });
    toast({ title: value === O.off ? 'Clubs pay the card fee' : 'Clubs may pass the card fee on' });
    void again('settings').catch(() => {});
  }, { failed: O.updateFailed, failedText: 'The setting stays as it is. Please try again.' });
  return <SwitchRow label="Card fee passed on to buyers" on={on} busy={doing.busy || data === undefined} onSwitch={onSwitch} words={['Allowed', 'Off']} hint={on ? 'A club may choose that its buyers pay the card fee.' : 'Clubs pay it themselves. A draw on sale stops charging it at its next edit.'} />;
}
