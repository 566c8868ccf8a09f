import { expect, test } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import {
  DEMO_SUMMARY,
  savePurchaseSummary,
  readPurchaseSummary,
  buildPurchaseSummary,
} from './summary';
import { nextPageAfterPurchase, checkoutSuccessToast } from './use-checkout';

test('a buyer whose summary cannot be stored goes to the club, the draw or home', () => {
  const summary = buildPurchaseSummary([{ draw: makeDraw(), count: 2 }], 'Jo');
  expect(nextPageAfterPurchase(summary)).toBe('/club/sharks');
  expect(nextPageAfterPurchase({ ...summary, clubSlug: '' })).toBe('/draw/1042');
  expect(nextPageAfterPurchase({ clubSlug: '', draws: [] })).toBe('/');
});

test('the checkout’s toast shows the number of tickets', () => {
  expect(checkoutSuccessToast(3)).toEqual({
    title: 'Purchase successful!',
    text: "You've purchased 3 ticket(s). Check your email for details.",
  });
});

test('a summary falls back to the specified names, holds no address, and its copy expires after a day', () => {
  const summary = buildPurchaseSummary(
    [{ draw: makeDraw({ clubName: '', clubSlug: '' }), count: 2 }],
    ' ',
  );
  expect([
    summary.clubName,
    summary.customerName,
    summary.totalTickets,
    summary.draws[0]?.prizePool,
  ]).toEqual(['Football Club', 'Ticket Holder', 2, '395.50']);
  savePurchaseSummary(summary);
  expect(JSON.stringify({ ...localStorage })).not.toMatch(/@|phone/i);
  sessionStorage.clear();
  expect(readPurchaseSummary()).toEqual(summary);
  localStorage.setItem(
    'purchaseData',
    JSON.stringify({ ...summary, savedAt: Date.now() - 25 * 3_600_000 }),
  );
  expect(readPurchaseSummary()).toBeNull();
});

test('the sample purchase is marked as a sample', () => {
  savePurchaseSummary(DEMO_SUMMARY);
  expect(readPurchaseSummary()?.demo).toBe(true);
  expect(DEMO_SUMMARY.draws.every((draw) => /Sample/.test(draw.matchName))).toBe(true);
});
