/**
 * Shares a draw: by the phone's share menu, else by the clipboard, else by a link to copy by hand.
 */
import type { Draw } from '@/api/wire';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { decimalToCents, formatDollars } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import type { Toast } from '@/shared/ui/toast-atoms';

export interface ShareContent {
  title: string;
  text: string;
  url: string;
}

/**
 * Returns the shared text: the match, the current prize and sold/169 (specification line A:310).
 */
export function shareContentOf(draw: Draw, origin: string): ShareContent {
  const title = `${draw.homeTeam} v ${draw.awayTeam}`;
  const url = `${origin}/draw/${draw.drawNumber}`;
  if (draw.status === 'cancelled')
    return { title, text: `${title}: this draw was cancelled. Every ticket is refunded.`, url };
  const text = `${title}: current prize ${formatDollars(decimalToCents(draw.currentPrize))}, ${draw.ticketsSold}/${TICKETS_PER_DRAW} tickets sold.`;
  return { title, text, url };
}

/**
 * Tries each method in turn and returns the result. Null when the share menu succeeded or was
 * dismissed.
 */
export async function shareOrCopy(
  what: ShareContent,
  via: Pick<Navigator, 'clipboard'> & Partial<Pick<Navigator, 'share'>> = navigator,
): Promise<Toast | null> {
  if (via.share && isPhone()) {
    try {
      await via.share(what);
      return null;
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return null;
    }
  }
  try {
    await via.clipboard.writeText(`${what.text}\n${what.url}`);
    return { title: S.copied, text: S.copiedText };
  } catch {
    return copyWithTextarea(what.url);
  }
}

function copyWithTextarea(url: string): Toast {
  const field = document.createElement('textarea');
  field.value = url;
  document.body.append(field);
  field.select();
  let copied = false;
  try {
    copied = document.execCommand('copy');
  } catch {
    copied = false;
  }
  field.remove();
  if (copied) return { title: S.linkCopied, text: S.linkCopiedText };
  return {
    title: S.unableToShare,
    text: S.unableToShareText,
    bad: true,
    lasts: 10_000,
    copyable: url,
  };
}

/**
 * Whether the screen is at most 768 px wide or the browser identifies as mobile (specification line
 * A:61).
 */
export function isPhone(): boolean {
  return window.innerWidth <= 768 || /Android|iPhone|iPad|iPod|Mobile/i.test(navigator.userAgent);
}
