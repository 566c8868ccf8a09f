import { useQuery, useSetQueryData } from '../queries/use-query';
import { SwitchRow } from './switch-row';
import { useSetting } from './use-setting';

/**
 * Switch that lets buyers pay the card fee. The operator turns it off where the law forbids that
 * (decision D-14).
 */
export function CardFeeSwitch() {
  const { data } = useQuery('configuration');
  const setQueryData = useSetQueryData();
  const { busy, save } = useSetting({
    key: 'fee_passthrough_allowed',
    description: 'Clubs may pass the card fee on to buyers',
    onSaved: (_, feePassthroughAllowed) =>
      setQueryData('configuration', (now) => now && { ...now, feePassthroughAllowed }),
    done: ['Clubs may pass the card fee on', 'Clubs pay the card fee'],
  });
  const on = data?.feePassthroughAllowed ?? true;
  return (
    <SwitchRow
      label="Card fee passed on to buyers"
      on={on}
      busy={busy || data === undefined}
      onSwitch={save}
      text={['Allowed', 'Off']}
      hint={
        on
          ? 'A club may choose that its buyers pay the card fee.'
          : 'Clubs pay it themselves. A draw on sale stops charging it at its next edit.'
      }
    />
  );
}
