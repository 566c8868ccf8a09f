import { useAtom, useAtomValue } from 'jotai';
import { useEffect, useLayoutEffect, useRef, useState, type PointerEvent } from 'react';
import { createPortal } from 'react-dom';
import { topDialogAtom } from './dialog-atoms';
import { CloseIcon } from './icons';
import { controlsOnScreen, toastLift } from './toast-placement';
import { toastAtom, type ShownToast } from './toast-atoms';

const TOAST_SHOWN_MS = 5_000;
const DISMISS_SWIPE_PX_MIN = 50;

/** Dismisses the toast after a swipe of 50 px to the right (specification line A:308). */
function useSwipeToDismiss(onAway: () => void) {
  const start = useRef<number | null>(null);
  const [moved, setMoved] = useState(0);
  return {
    style: { '--swipe': `${moved}px` } as React.CSSProperties,
    onPointerDown: (event: PointerEvent) => (start.current = event.clientX),
    onPointerMove: (event: PointerEvent) =>
      start.current !== null && setMoved(Math.max(0, event.clientX - start.current)),
    // Measures the pointer's position, because a quick swipe ends before its movement is rendered.
    onPointerUp: (event: PointerEvent) => {
      if (start.current !== null && event.clientX - start.current >= DISMISS_SWIPE_PX_MIN) onAway();
      start.current = null;
      setMoved(0);
    },
    onPointerCancel: () => {
      start.current = null;
      setMoved(0);
    },
  };
}

function ToastItem({ toast, onAway }: { toast: ShownToast; onAway: () => void }) {
  const [held, setHeld] = useState(false);
  const swipe = useSwipeToDismiss(onAway);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(onAway, toast.lasts ?? TOAST_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [held, toast, onAway]);
  // The error of the last attempt goes when the next attempt starts. Capturing runs before the form's
  // own handler, which may show the next error.
  useEffect(() => {
    if (!toast.bad) return;
    document.addEventListener('submit', onAway, true);
    return () => document.removeEventListener('submit', onAway, true);
  }, [toast, onAway]);
  const hold = {
    onPointerEnter: () => setHeld(true),
    onPointerLeave: () => setHeld(false),
    onFocus: () => setHeld(true),
    onBlur: () => setHeld(false),
  };
  return (
    <div
      className={`toast${toast.bad ? ' is-bad' : ''}`}
      role={toast.bad ? 'alert' : 'status'}
      {...hold}
      {...swipe}
    >
      <strong>{toast.title}</strong>
      {toast.text ? <p>{toast.text}</p> : null}
      {toast.copyable ? (
        <input
          readOnly
          aria-label="Link to copy"
          value={toast.copyable}
          onFocus={(event) => event.currentTarget.select()}
        />
      ) : null}
      {toast.action ? (
        <button
          type="button"
          className="btn small sec"
          onClick={() => (toast.action?.run(), onAway())}
        >
          {toast.action.label}
        </button>
      ) : null}
      <button type="button" className="icon-btn" aria-label="Dismiss" onClick={onAway}>
        <CloseIcon />
      </button>
    </div>
  );
}

/**
 * The region of the toasts, in the browser's top layer. It lies inside the dialog that was opened
 * last, because everything outside of a modal dialog is inert. F8 focuses the region from any place
 * (specification line A:308).
 */
export function Toaster() {
  const [toast, setToast] = useAtom(toastAtom);
  const dialog = useAtomValue(topDialogAtom);
  const region = useRef<HTMLElement>(null);
  const [away] = useState(() => () => setToast(null));
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'F8') region.current?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  useLayoutEffect(() => {
    const element = region.current;
    // A dialog that was just removed takes the region with it. The next dialog state brings it back.
    if (!element?.isConnected || !toast) return;
    // Safari before 17 has no popovers. The region then has a fixed position and a z-index only.
    element.showPopover?.();
    const place = () => {
      element.style.setProperty('--lift', '0px');
      const box = element.getBoundingClientRect();
      const lift = toastLift(box, controlsOnScreen(dialog ?? document.body, element));
      element.style.setProperty('--lift', `${lift}px`);
    };
    place();
    const scrolled = { capture: true, passive: true };
    document.addEventListener('scrollend', place, scrolled);
    document.addEventListener('focusin', place);
    window.addEventListener('resize', place);
    return () => {
      document.removeEventListener('scrollend', place, scrolled);
      document.removeEventListener('focusin', place);
      window.removeEventListener('resize', place);
      if (element.isConnected) element.hidePopover?.();
    };
  }, [toast, dialog]);
  return createPortal(
    <section
      ref={region}
      popover="manual"
      className="toast-region"
      aria-label="Notifications (F8)"
      tabIndex={-1}
    >
      {toast ? <ToastItem key={toast.id} toast={toast} onAway={away} /> : null}
    </section>,
    dialog ?? document.body,
  );
}
