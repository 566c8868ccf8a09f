import { useSetAtom } from 'jotai';
import { ShareIcon } from '@/shared/ui/icons';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { Tooltip } from '@/shared/ui/tooltip';
import { shareOrCopy, type ShareContent } from './share';

interface ShareButtonProps {
  /** Called on press, so that the shared numbers are current. */
  what: () => ShareContent;
  label: string;
}

/**
 * The round share button. A tooltip shows its purpose on hover, and screen readers always get its
 * label.
 */
export function ShareButton({ what, label }: ShareButtonProps) {
  const showToast = useSetAtom(showToastAtom);
  const onShare = async () => {
    const toast = await shareOrCopy(what());
    if (toast) showToast(toast);
  };
  return (
    <Tooltip text="Share">
      <button type="button" className="icon-btn" aria-label={label} onClick={() => void onShare()}>
        <ShareIcon />
      </button>
    </Tooltip>
  );
}
