import { expect, test } from 'vitest';
import { aDraw } from '@/testing/a-draw';
import { DEMO_SUMMARY, keepSummary, readSummary, summaryOf } from './summary';
import { afterwards, checkoutSuccess } from './use-checkout';

test('a buyer whose summary cannot be stored goes to the club, the draw or home', () => {
  const summary = summaryOf([{ draw: aDraw(), count: 2 }], 'Jo');
  expect(afterwards(summary)).toBe('/club/sharks');
  expect(afterwards({ ...summary, clubSlug: '' })).toBe('/draw/1042');
  expect(afterwards({ clubSlug: '', draws: [] })).toBe('/');
});

test('the checkout’s toast shows the number of tickets', () => {
  expect(checkoutSuccess(3)).toEqual({
    title: 'Purchase successful!',
    text: "You've purchased 3 ticket(s). Check your email for details.",
  });
});

test('a summary falls back to the specified names, holds no address, and its copy expires after a day', () => {
  const summary = summaryOf([{ draw: aDraw({ clubName: '', clubSlug: '' }), count: 2 }], ' ');
  expect([
    summary.clubName,
    summary.customerName,
    summary.totalTickets,
    summary.draws[0]?.prizePool,
  ]).toEqual(['Football Club', 'Ticket Holder', 2, '395.50']);
  keepSummary(summary);
  expect(JSON.stringify({ ...localStorage })).not.toMatch(/@|phone/i);
  sessionStorage.clear();
  expect(readSummary()).toEqual(summary);
  localStorage.setItem(
    'purchaseData',
    JSON.stringify({ ...summary, savedAt: Date.now() - 25 * 3_600_000 }),
  );
  expect(readSummary()).toBeNull();
});

test('the sample purchase is marked as a sample', () => {
  keepSummary(DEMO_SUMMARY);
  expect(readSummary()?.demo).toBe(true);
  expect(DEMO_SUMMARY.draws.every((draw) => /Sample/.test(draw.matchName))).toBe(true);
});
