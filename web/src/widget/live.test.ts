import { afterEach, expect, test, vi } from 'vitest';
import { widgetFrameUrl, insertWidgetCard } from './live';

afterEach(() => document.body.replaceChildren());

/** Prevents the frames from loading: the test only inspects them. */
Object.assign(
  (window as unknown as { happyDOM: { settings: { navigation: object } } }).happyDOM.settings
    .navigation,
  { disableChildFrameNavigation: true },
);

function addScriptTag(options: Record<string, string | undefined>): HTMLScriptElement {
  const script = document.createElement('script');
  // Sets the script's URL without a request.
  Object.defineProperty(script, 'src', { value: 'https://fd.example/widgets/live.js' });
  Object.assign(script.dataset, options);
  document.body.append(script);
  return script;
}

test('draw and offer have frame addresses with the given options only', () => {
  expect(widgetFrameUrl({ draw: '1042' }, 'https://fd.example')).toBe(
    'https://fd.example/draw/1042/display?mode=widget',
  );
  expect(
    widgetFrameUrl(
      { bundle: 'sharks/both', theme: 'dark', qr: 'yes', loc: 'bar' },
      'https://fd.example',
    ),
  ).toBe(
    'https://fd.example/club/sharks/specials/both/display?mode=widget&theme=dark&qr=yes&loc=bar',
  );
});

test('options that name nothing create no frame', () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
  for (const options of [
    {},
    { draw: 'x' },
    { draw: '../admin' },
    { bundle: 'sharks' },
    { bundle: 'a/b/c' },
    { bundle: '"><x/y' },
  ])
    expect(insertWidgetCard(addScriptTag(options))).toBeNull();
  expect(document.querySelectorAll('iframe')).toHaveLength(0);
  expect(warned).toHaveBeenCalledTimes(6);
});

test('each tag creates one sandboxed frame with a title after itself', () => {
  const [first, second] = [
    addScriptTag({ draw: '1' }),
    addScriptTag({ draw: '2', title: 'Our game', width: '300', height: '9999999' }),
  ];
  insertWidgetCard(first);
  insertWidgetCard(second);
  const frames = [...document.querySelectorAll('iframe')];
  expect(frames.map((frame) => frame.previousElementSibling)).toEqual([first, second]);
  expect(frames.map((frame) => frame.title)).toEqual([
    'Football Doubles: live prize and tickets',
    'Our game',
  ]);
  expect(
    frames.every(
      (frame) =>
        frame.getAttribute('sandbox') ===
        'allow-scripts allow-popups allow-popups-to-escape-sandbox',
    ),
  ).toBe(true);
  expect([frames[1]?.style.maxWidth, frames[1]?.style.height]).toEqual(['300px', '300px']);
});

test('only messages of the frame itself set its height', () => {
  const frame = insertWidgetCard(addScriptTag({ draw: '1' }));
  const say = (source: unknown, data: unknown) =>
    window.dispatchEvent(Object.assign(new Event('message'), { source, data }));
  say(window, { footballDoubles: 'height', height: 500 });
  say(frame?.contentWindow, { height: 500 });
  say(frame?.contentWindow, { footballDoubles: 'height', height: '500' });
  expect(frame?.style.height).toBe('300px');
  say(frame?.contentWindow, { footballDoubles: 'height', height: 411.2 });
  expect(frame?.style.height).toBe('412px');
  say(frame?.contentWindow, { footballDoubles: 'height', height: 1e9 });
  expect(frame?.style.height).toBe('1600px');
});
