import { useState } from 'react';
import { SupportContacts } from '@/features/buyer/site/support-contacts';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { Dialog } from '@/shared/ui/dialog';

/** 'Need Help?' as a dialog, so that a buyer who opens it does not leave the checkout. */
export function HelpDialog() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="btn small sec"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {S.needHelpAsked}
      </button>
      <Dialog title={S.needHelpAsked} open={open} onClose={() => setOpen(false)}>
        <p>
          Write or text us about payments and tickets. Your tickets stay reserved while the clock
          runs; at thirty seconds you can keep them for longer.
        </p>
        <SupportContacts />
        <div>
          <button type="button" className="btn" onClick={() => setOpen(false)}>
            Close
          </button>
        </div>
      </Dialog>
    </>
  );
}
