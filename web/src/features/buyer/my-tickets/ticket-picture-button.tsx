import { useSetAtom } from 'jotai';
import { useState } from 'react';
import { ticketPicturePath } from '@/api/endpoints/buyer';
import { isPhone } from '@/features/buyer/site/share';
import { saveFile } from '@/shared/save-file';
import { showToastAtom } from '@/shared/ui/toast-atoms';

/** Whether the phone's share menu takes a picture. */
function canSharePicture(): boolean {
  if (!isPhone() || !navigator.canShare) return false;
  const picture = new File([], 'my-numbers.png', { type: 'image/png' });
  return navigator.canShare({ files: [picture] });
}

/**
 * Hands the picture of the own tickets to the phone's share menu, or saves it where there is no
 * such menu.
 */
export function TicketPictureButton({ token, draw }: { token: string; draw: number }) {
  const [pending, setPending] = useState(false);
  const [shares] = useState(canSharePicture);
  const showToast = useSetAtom(showToastAtom);
  const onPress = async () => {
    if (pending) return;
    setPending(true);
    try {
      const answer = await fetch(ticketPicturePath(token, draw), { credentials: 'same-origin' });
      if (!answer.ok) throw new Error(`${answer.status}`);
      const name = `my-numbers-${draw}.png`;
      const content = await answer.blob();
      if (shares)
        await navigator.share({ files: [new File([content], name, { type: 'image/png' })] });
      else saveFile({ name, content });
    } catch (error) {
      // The buyer closed the share menu.
      if (error instanceof DOMException && error.name === 'AbortError') return;
      showToast({
        title: 'The picture could not be made.',
        text: 'Your tickets are not affected. Please try again.',
        bad: true,
      });
    } finally {
      setPending(false);
    }
  };
  return (
    <button
      type="button"
      className="btn wide no-print"
      aria-disabled={pending}
      onClick={() => void onPress()}
    >
      {shares ? 'Share my ticket picture' : 'Save my ticket picture'}
    </button>
  );
}
