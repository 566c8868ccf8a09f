/**
 * `/widgets/live.js`: one line puts a live card of a draw or an offer on any page.
 *
 *     <script async src="https://…/widgets/live.js" data-draw="1042"></script>
 *     <noscript><a href="https://…/draw/1042?src=widget">Buy tickets</a></noscript>
 *
 * Each tag makes one sandboxed frame beside itself; several on one page do not know of each other. No cookies, nothing kept, no
 * request but the frame's own. Options, all optional but one of the first two: `data-draw`, `data-bundle="club/offer"`,
 * `data-theme="light|dark"`, `data-qr="yes"`, `data-loc` (where it stands, for the club's statistics), `data-title`,
 * `data-width` and `data-height` in pixels (at most, and until the card says its own), `data-target` (a selector to put it into).
 */

const HEIGHT = 300;
const HEIGHT_MAX = 1_600;
const WIDTH = 420;

type Options = Readonly<Record<string, string | undefined>>;

/** The frame's address for these options; null when they name nothing to show. */
export function addressOf(options: Options, origin: string): string | null {
  const page = pageOf(options);
  if (!page) return null;
  const query = new URLSearchParams({ mode: 'widget' });
  if (options.theme === 'dark') query.set('theme', 'dark');
  if (options.qr === 'yes') query.set('qr', 'yes');
  if (options.loc) query.set('loc', options.loc.slice(0, 60));
  return `${origin}${page}/display?${query.toString()}`;
}

function pageOf({ draw, bundle }: Options): string | null {
  if (draw && /^\d{1,15}$/.test(draw)) return `/draw/${draw}`;
  const named = /^([\w-]+)\/([\w-]+)$/.exec(bundle ?? '');
  return named ? `/club/${named[1]}/specials/${named[2]}` : null;
}

const pixels = (text: string | undefined, otherwise: number) =>
  text && /^\d{2,4}$/.test(text) ? Number(text) : otherwise;

function frameFor(address: string, options: Options): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.src = address;
  frame.title = options.title || 'Football Doubles: live prize and tickets';
  frame.setAttribute('sandbox', 'allow-scripts allow-popups allow-popups-to-escape-sandbox');
  frame.setAttribute('referrerpolicy', 'no-referrer');
  frame.setAttribute('loading', 'lazy');
  frame.style.cssText = `display:block;border:0;width:100%;max-width:${pixels(options.width, WIDTH)}px;height:${pixels(options.height, HEIGHT)}px;color-scheme:normal`;
  return frame;
}

/** Makes the frame as high as its card says; nobody else's message counts. */
function fit(frame: HTMLIFrameElement): void {
  window.addEventListener('message', (event) => {
    const message = event.data as { footballDoubles?: unknown; height?: unknown } | null;
    if (
      event.source !== frame.contentWindow ||
      message?.footballDoubles !== 'height' ||
      typeof message.height !== 'number'
    )
      return;
    frame.style.height = `${Math.min(HEIGHT_MAX, Math.max(80, Math.ceil(message.height)))}px`;
  });
}

/** Puts the card beside its tag; in `<head>`, where nothing is shown, at the end of the page. */
export function place(script: HTMLScriptElement): HTMLIFrameElement | null {
  const options: Options = script.dataset;
  const address = addressOf(options, new URL(script.src).origin);
  if (!address) {
    // eslint-disable-next-line no-console -- the only way to tell whoever embeds it
    console.warn('live.js: data-draw="1042" or data-bundle="club/offer" is needed');
    return null;
  }
  const frame = frameFor(address, options);
  fit(frame);
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

// Only while the tag itself runs is it known which one it is.
if (document.currentScript instanceof HTMLScriptElement) place(document.currentScript);
