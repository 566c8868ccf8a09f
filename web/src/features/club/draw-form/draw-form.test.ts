import { expect, test } from 'vitest';
import { makeOwnDraw } from '@/testing/club-data';
import {
  EMPTY_DRAW_FIELDS,
  toEditDrawRequest,
  newDrawProblems,
  toCreateDrawRequest,
  editedDrawPrizePercentages,
  editedDrawProblems,
  fieldsOfDraw,
  fieldsOfTemplate,
  notEditableReason,
  sanitisePhoneInput,
} from './draw-rules';
import type { DrawFields } from './draw-rules';
import { utcMsOfLocalTime, localTimeInZone, clockChangeNote } from './local-time';
import { computeRevenue, estimatedPaymentCount } from './revenue';

const COMPLETE_FIELDS: DrawFields = {
  ...EMPTY_DRAW_FIELDS,
  homeTeam: 'Sharks',
  awayTeam: 'Tigers',
  date: '2026-11-27',
  contactName: 'Kim',
  contactPhone: '0400 000 000',
};
const problemTexts = (problems: { text: string }[]) => problems.map(({ text }) => text);

test('a new draw reports its missing fields in the specified texts and form order', () => {
  expect(problemTexts(newDrawProblems({ ...EMPTY_DRAW_FIELDS, ticketPrice: '' }))).toEqual([
    'Home team is required',
    'Away team is required',
    'Game date is required',
    'Ticket price is required',
    'Contact name is required',
    'Contact phone is required',
  ]);
  expect(newDrawProblems(COMPLETE_FIELDS)).toEqual([]);
});

test('an edit also requires a time, a zone and a price of at least a cent', () => {
  const empty = { ...EMPTY_DRAW_FIELDS, time: '', timezone: '', ticketPrice: '0' };
  expect(problemTexts(editedDrawProblems(empty))).toEqual([
    'Home team is required',
    'Away team is required',
    'Game date is required',
    'Game time is required',
    'Timezone is required',
    'Ticket price is required',
    'Contact name is required',
    'Contact phone is required',
  ]);
  expect(editedDrawProblems({ ...COMPLETE_FIELDS, ticketPrice: '0.01' })).toEqual([]);
  expect(problemTexts(editedDrawProblems({ ...COMPLETE_FIELDS, ticketPrice: '1e3' }))).toEqual([
    'Ticket price is required',
  ]);
});

test('the prize choices of the edit form include the draw’s own', () => {
  expect(editedDrawPrizePercentages(50)).toEqual([40, 50, 60, 70]);
  expect(editedDrawPrizePercentages(45)).toEqual([40, 45, 50, 60, 70]);
});

test('a phone field accepts phone numbers only', () => {
  expect(sanitisePhoneInput('call +61 (4) 00-000 x000 now')).toBe(' +61 (4) 00-000 000 ');
});

test('the request is in the draw’s local time and omits locked fields', () => {
  expect(toCreateDrawRequest(COMPLETE_FIELDS)).toEqual({
    league: null,
    homeTeam: 'Sharks',
    awayTeam: 'Tigers',
    gameDate: '2026-11-27T15:00',
    timezone: 'Australia/Brisbane',
    contactName: 'Kim',
    contactPhone: '0400 000 000',
    ticketPrice: '5.00',
    prizePercentage: 50,
    passStripeFees: false,
    roundUpPrize: false,
  });
  expect(Object.keys(toEditDrawRequest(COMPLETE_FIELDS, true))).toEqual([
    'league',
    'homeTeam',
    'awayTeam',
    'gameDate',
    'timezone',
    'contactName',
    'contactPhone',
  ]);
  expect(toEditDrawRequest({ ...COMPLETE_FIELDS, ticketPrice: '7.5' }, false)).toMatchObject({
    ticketPrice: '7.50',
    prizePercentage: 50,
    roundUpPrize: false,
  });
});

test('a draw is loaded into the form in its own zone’s time', () => {
  expect(fieldsOfDraw(makeOwnDraw())).toMatchObject({
    date: '2026-11-20',
    time: '19:10',
    timezone: 'Australia/Brisbane',
    ticketPrice: '5.00',
  });
  expect(fieldsOfDraw(makeOwnDraw({ timezone: 'Pacific/Chatham' }))).toMatchObject({
    date: '2026-11-20',
    time: '22:55',
  });
  expect(
    fieldsOfTemplate({
      ...toCreateDrawRequest(COMPLETE_FIELDS),
      ticketPrice: '8.00',
      prizePercentage: 60,
      passStripeFees: true,
      roundUpPrize: true,
      gameDate: '2026-12-04T19:10',
    }),
  ).toMatchObject({ date: '2026-12-04', time: '19:10', ticketPrice: '8.00', prizePercentage: 60 });
});

test('a draw that cannot be edited says why', () => {
  const now = Date.parse('2026-11-20T00:00:00Z');
  expect(notEditableReason(makeOwnDraw(), now)).toBeNull();
  expect(notEditableReason(makeOwnDraw({ status: 'completed' }), now)).toBe(
    'This draw cannot be edited because it is not active.',
  );
  expect(notEditableReason(makeOwnDraw({ status: 'closed' }), now)).toBe(
    'This draw cannot be edited because the game has already started.',
  );
  expect(notEditableReason(makeOwnDraw(), Date.parse('2026-11-20T09:10:00Z'))).toBe(
    'This draw cannot be edited because the game has already started.',
  );
  expect(
    notEditableReason(makeOwnDraw({ editable: false, notEditableReason: 'Because.' }), now),
  ).toBe('Because.');
});

test('a skipped local time moves forward, and a repeated one means the first', () => {
  // Clock changes in Sydney: 2026-10-04 02:00 → 03:00, 2026-04-05 03:00 → 02:00.
  expect(clockChangeNote({ date: '2026-10-04', time: '02:30' }, 'Australia/Sydney')).toBe('03:30');
  expect(clockChangeNote({ date: '2026-10-04', time: '03:30' }, 'Australia/Sydney')).toBeNull();
  expect(clockChangeNote({ date: '2026-10-04', time: '02:30' }, 'Australia/Brisbane')).toBeNull();
  expect(clockChangeNote({ date: '0002-10-04', time: '02:30' }, 'Australia/Sydney')).toBeNull();
  expect(
    new Date(
      utcMsOfLocalTime({ date: '2026-04-05', time: '02:30' }, 'Australia/Sydney'),
    ).toISOString(),
  ).toBe('2026-04-04T15:30:00.000Z');
  expect(
    new Date(
      utcMsOfLocalTime({ date: '2026-11-20', time: '19:10' }, 'Australia/Brisbane'),
    ).toISOString(),
  ).toBe('2026-11-20T09:10:00.000Z');
  expect(localTimeInZone(Date.parse('2027-01-10T03:30:00Z'), 'Pacific/Chatham')).toEqual({
    date: '2027-01-10',
    time: '17:15',
  });
});

test('the breakdown follows the fee policy, the estimated payments and the rounding', () => {
  const terms = { price: 500, prizePercentage: 50, roundUpPrize: true, passStripeFees: false };
  const policy = { rateBps: 350, capCents: 1100 };
  expect([0, 1, 6, 169].map(estimatedPaymentCount)).toEqual([1, 1, 2, 30]);
  // 169 × $5 = $845; cap $11; 1.7 % = $14.365 → $14.37, + 30 × $0.30; prize $422.50 → $430.
  expect(computeRevenue(terms, 169, policy)).toEqual({
    revenue: 84_500,
    platformFee: 1100,
    cardFees: 2337,
    receives: 81_063,
    prize: 43_000,
    keeps: 38_063,
  });
  expect(computeRevenue({ ...terms, passStripeFees: true }, 10, policy)).toMatchObject({
    platformFee: 175,
    cardFees: 0,
    receives: 4825,
  });
  expect(computeRevenue({ ...terms, price: 10 }, 40, policy).keeps).toBeLessThan(0);
});
