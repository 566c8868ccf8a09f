import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import { isPhone, shareOrCopy, shareContentOf } from './share';

const shareContent = {
  title: 'Sharks v Tigers',
  text: 'Sharks v Tigers: current prize $290',
  url: 'https://fd.example/draw/1042',
};
const makeClipboard = (writeText: () => Promise<void>) => ({
  clipboard: { writeText } as unknown as Clipboard,
});
const rejectClipboard = () => Promise.reject(new DOMException('no', 'NotAllowedError'));

beforeEach(() => Object.assign(window, { innerWidth: 390 }));
afterEach(() => vi.restoreAllMocks());

test('a share contains the match, the prize and the tickets sold', () => {
  expect(shareContentOf(makeDraw(), 'https://fd.example')).toEqual({
    title: 'Redcliffe Sharks v Wynnum Tigers',
    text: 'Redcliffe Sharks v Wynnum Tigers: current prize $290.00, 113/169 tickets sold.',
    url: 'https://fd.example/draw/1042',
  });
});

test('a share of a cancelled draw contains no prize', () => {
  expect(shareContentOf(makeDraw({ status: 'cancelled' }), '').text).toBe(
    'Redcliffe Sharks v Wynnum Tigers: this draw was cancelled. Every ticket is refunded.',
  );
});

test('the phone’s share menu comes first, and dismissing it is no failure', async () => {
  const menu = vi.fn().mockResolvedValue(undefined);
  expect(
    await shareOrCopy(shareContent, { share: menu, ...makeClipboard(rejectClipboard) }),
  ).toBeNull();
  expect(menu).toHaveBeenCalledWith(shareContent);
  expect(
    await shareOrCopy(shareContent, {
      share: () => Promise.reject(new DOMException('', 'AbortError')),
      ...makeClipboard(rejectClipboard),
    }),
  ).toBeNull();
});

test('without a share menu, or when it fails, text and link are copied', async () => {
  const copied = vi.fn().mockResolvedValue(undefined);
  const said = {
    title: 'Copied to clipboard!',
    text: 'Share link and details have been copied. Paste in your messaging app.',
  };
  expect(
    await shareOrCopy(shareContent, {
      share: () => Promise.reject(new Error('broken')),
      ...makeClipboard(copied),
    }),
  ).toEqual(said);
  Object.assign(window, { innerWidth: 1280 });
  expect(isPhone()).toBe(false);
  expect(
    await shareOrCopy(shareContent, {
      share: vi.fn().mockRejectedValue(new Error('not asked')),
      ...makeClipboard(copied),
    }),
  ).toEqual(said);
  expect(copied).toHaveBeenCalledWith(`${shareContent.text}\n${shareContent.url}`);
});

test('without a clipboard the link alone is copied, or shown for ten seconds to copy by hand', async () => {
  const execCommand = vi
    .fn()
    .mockReturnValueOnce(true)
    .mockReturnValueOnce(false)
    .mockImplementationOnce(() => {
      throw new Error('forbidden');
    });
  Object.assign(document, { execCommand });
  expect(await shareOrCopy(shareContent, makeClipboard(rejectClipboard))).toEqual({
    title: 'Link copied!',
    text: 'Draw link has been copied to clipboard.',
  });
  const byHand = {
    title: 'Unable to share',
    text: 'Please copy the URL manually to share this draw.',
    bad: true,
    lasts: 10_000,
    copyable: shareContent.url,
  };
  expect(await shareOrCopy(shareContent, makeClipboard(rejectClipboard))).toEqual(byHand);
  expect(await shareOrCopy(shareContent, makeClipboard(rejectClipboard))).toEqual(byHand);
  expect(document.querySelector('textarea')).toBeNull();
});
