/**
 * `/widgets/live.js`: one script tag shows a live card of a draw or an offer on any page.
 *
 *     <script async src="https://…/widgets/live.js" data-draw="1042"></script>
 *     <noscript><a href="https://…/draw/1042?src=widget">Buy tickets</a></noscript>
 *
 * Each tag adds one sandboxed frame after itself. Tags on one page are independent. The script uses
 * no cookies and no storage, and requests only the frame.
 *
 * One of these options is required: `data-draw` or `data-bundle="club/offer"`. The others are
 * optional:
 * - `data-theme="light|dark"`
 * - `data-qr="yes"`
 * - `data-loc`: the placement, which the purchase link then contains
 * - `data-title`
 * - `data-width`: maximum width in pixels
 * - `data-height`: height in pixels until the card reports its own
 * - `data-target`: CSS selector of the element that receives the frame
 */

const DEFAULT_HEIGHT_PX = 300;
const HEIGHT_PX_MAX = 1_600;
const DEFAULT_WIDTH_PX = 420;

type WidgetOptions = Readonly<Record<string, string | undefined>>;

/** Returns the URL of the frame, or null if the options name nothing to show. */
export function widgetFrameUrl(options: WidgetOptions, origin: string): string | null {
  const page = purchasePathOf(options);
  if (!page) return null;
  const query = new URLSearchParams({ mode: 'widget' });
  if (options.theme === 'dark') query.set('theme', 'dark');
  if (options.qr === 'yes') query.set('qr', 'yes');
  if (options.loc) query.set('loc', options.loc.slice(0, 60));
  return `${origin}${page}/display?${query.toString()}`;
}

function purchasePathOf({ draw, bundle }: WidgetOptions): string | null {
  if (draw && /^\d{1,15}$/.test(draw)) return `/draw/${draw}`;
  const named = /^([\w-]+)\/([\w-]+)$/.exec(bundle ?? '');
  return named ? `/club/${named[1]}/specials/${named[2]}` : null;
}

const pixelsOrDefault = (text: string | undefined, otherwise: number) =>
  text && /^\d{2,4}$/.test(text) ? Number(text) : otherwise;

function createWidgetFrame(address: string, options: WidgetOptions): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.src = address;
  frame.title = options.title || 'Football Doubles: live prize and tickets';
  frame.setAttribute('sandbox', 'allow-scripts allow-popups allow-popups-to-escape-sandbox');
  frame.setAttribute('referrerpolicy', 'no-referrer');
  frame.setAttribute('loading', 'lazy');
  frame.style.cssText = `display:block;border:0;width:100%;max-width:${pixelsOrDefault(options.width, DEFAULT_WIDTH_PX)}px;height:${pixelsOrDefault(options.height, DEFAULT_HEIGHT_PX)}px;color-scheme:normal`;
  return frame;
}

/**
 * Sets the frame's height from the messages that the frame's own page sends. Ignores all other
 * messages.
 */
function followFrameHeight(frame: HTMLIFrameElement): void {
  window.addEventListener('message', (event) => {
    const message = event.data as { footballDoubles?: unknown; height?: unknown } | null;
    if (
      event.source !== frame.contentWindow ||
      message?.footballDoubles !== 'height' ||
      typeof message.height !== 'number'
    )
      return;
    frame.style.height = `${Math.min(HEIGHT_PX_MAX, Math.max(80, Math.ceil(message.height)))}px`;
  });
}

/** Inserts the card after its tag, or at the end of the page if the tag is in `<head>`. */
export function insertWidgetCard(script: HTMLScriptElement): HTMLIFrameElement | null {
  const options: WidgetOptions = script.dataset;
  const address = widgetFrameUrl(options, new URL(script.src).origin);
  if (!address) {
    // eslint-disable-next-line no-console -- the only way to inform the embedding site
    console.warn('live.js: data-draw="1042" or data-bundle="club/offer" is needed');
    return null;
  }
  const frame = createWidgetFrame(address, options);
  followFrameHeight(frame);
  const insert = () => {
    const target = options.target ? document.querySelector(options.target) : null;
    if (target) target.append(frame);
    else if (script.closest('body')) script.after(frame);
    else document.body.append(frame);
  };
  if (!document.body || (options.target && document.readyState === 'loading'))
    document.addEventListener('DOMContentLoaded', insert);
  else insert();
  return frame;
}

// Runs only from a script tag: `currentScript` is null when a test imports this module.
if (document.currentScript instanceof HTMLScriptElement) insertWidgetCard(document.currentScript);
