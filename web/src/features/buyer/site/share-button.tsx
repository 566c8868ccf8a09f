import { useSetAtom } from 'jotai';
import { ShareIcon } from '@/shared/ui/icons';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { Tooltip } from '@/shared/ui/tooltip';
import { share, type Shared } from './share';

interface ShareButtonProps {
  /** Asked when pressed, so that the numbers are the latest. */
  what: () => Shared;
  label: string;
}

/** The round button that shares. What it does is said on a rest of the pointer, and always to who does not see it. */
export function ShareButton({ what, label }: ShareButtonProps) {
  const showToast = useSetAtom(showToastAtom);
  const onShare = async () => {
    const toast = await share(what());
    if (toast) showToast(toast);
  };
  return (
    <Tooltip words="Share">
      <button type="button" className="icon-btn" aria-label={label} onClick={() => void onShare()}>
        <ShareIcon />
      </button>
    </Tooltip>
  );
}
