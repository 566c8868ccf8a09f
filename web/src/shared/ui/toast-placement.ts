/** Finds a place for a toast where it covers no control. */

/** Pixels between a toast and the controls beside it, and above a toast. */
const GAP_PX = 8;

export interface Obstacle {
  top: number;
  bottom: number;
  left: number;
  right: number;
  /** Whether scrolling cannot move the control away from the toast, or the control has focus. */
  fixed: boolean;
}

type Box = Omit<Obstacle, 'fixed'>;

const isBeside = (toast: Box, one: Box) => one.right <= toast.left || one.left >= toast.right;

function lowestFreeLift(toast: Box, obstacles: readonly Box[]): number | null {
  const height = toast.bottom - toast.top;
  const bottoms = [toast.bottom, ...obstacles.map(({ top }) => top - GAP_PX)]
    .filter((bottom) => bottom <= toast.bottom && bottom - height >= GAP_PX)
    .sort((a, b) => b - a);
  const free = bottoms.find((bottom) =>
    obstacles.every((one) => one.bottom <= bottom - height || one.top >= bottom),
  );
  return free === undefined ? null : toast.bottom - free;
}

/**
 * Returns by how many pixels a toast moves up from its place at the bottom, so that it covers no
 * control. On a screen full of controls it covers no control that stays when the page scrolls.
 */
export function toastLift(toast: Box, obstacles: readonly Obstacle[]): number {
  const near = obstacles.filter((one) => !isBeside(toast, one));
  return (
    lowestFreeLift(toast, near) ??
    lowestFreeLift(
      toast,
      near.filter(({ fixed }) => fixed),
    ) ??
    0
  );
}

const CONTROLS = 'a[href], button, input, select, textarea, summary, iframe, [role="button"]';

function isFixed(element: Element | null, root: Element): boolean {
  for (let at = element; at && at !== root; at = at.parentElement)
    if (['fixed', 'sticky'].includes(getComputedStyle(at).position)) return true;
  return false;
}

/** Returns the visible controls inside `root`, except those of the toast itself. */
export function controlsOnScreen(root: Element, toast: Element): Obstacle[] {
  return [...root.querySelectorAll(CONTROLS)]
    .filter((control) => !toast.contains(control))
    .map((control) => ({ control, box: control.getBoundingClientRect() }))
    .filter(({ box }) => box.height > 1 && box.bottom > 0 && box.top < window.innerHeight)
    .map(({ control, box }) => ({
      top: box.top,
      bottom: box.bottom,
      left: box.left,
      right: box.right,
      fixed: control === document.activeElement || isFixed(control, root),
    }));
}
