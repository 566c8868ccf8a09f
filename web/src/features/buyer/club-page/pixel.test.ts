import { expect, test } from 'vitest';
import { pixelUrl } from './pixel';

test('the pixel is one image with the page’s address, and only for an id of digits', () => {
  expect(
    pixelUrl('123', 'offer_view', { page: 'https://fd.example/club/sharks', content: 'both' }),
  ).toBe(
    'https://www.facebook.com/tr/?id=123&ev=offer_view&dl=https%3A%2F%2Ffd.example%2Fclub%2Fsharks&noscript=1&cd%5Bcontent_name%5D=both',
  );
  for (const id of ['', 'abc', '12 3', '1"onload=', '1'.repeat(33)])
    expect(pixelUrl(id, 'PageView', { page: '/' })).toBeNull();
});
