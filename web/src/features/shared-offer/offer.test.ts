import { expect, test } from 'vitest';
import type { Offer } from '@/api/wire-public';
import { aDraw } from '@/testing/a-draw';
import { closesAt, isListed, offerPhase, offerPrice, refusal, shownTag } from './offer';

const NOW = Date.parse('2026-11-20T00:00:00Z');
const at = (hours: number) => new Date(NOW + hours * 3_600_000).toISOString();
const game = (id: number, hours: number, more = {}) => ({
  id,
  homeTeam: 'Sharks',
  awayTeam: `Team ${id}`,
  gameDate: at(hours),
  ticketPrice: '5.00',
  passStripeFees: false,
  ...more,
});
const offer = (more: Partial<Offer> = {}): Offer => ({
  id: 1,
  name: 'Both games',
  slug: 'both',
  type: 'BUNDLE',
  status: 'active',
  displayTag: null,
  primaryCopy: null,
  shareImageUrl: null,
  clubSlug: 'sharks',
  clubName: 'Sharks',
  games: [game(1001, 30), game(1002, 20)],
  ...more,
});

test('an offer sells from its start until its end or its first game’s close, whichever is first', () => {
  expect(offerPhase(offer(), NOW)).toBe('open');
  expect(offerPhase(offer({ status: 'locked' }), NOW)).toBe('open');
  expect(offerPhase(offer({ startAt: at(1) }), NOW)).toBe('scheduled');
  expect(offerPhase(offer({ end_at: at(-1) }), NOW)).toBe('ended');
  expect(offerPhase(offer(), Date.parse(at(20)))).toBe('closed');
  expect(offerPhase(offer({ games: [game(1001, 30, { salesCloseAt: at(-1) })] }), NOW)).toBe(
    'closed',
  );
  expect(
    ['draft', 'archived', 'closed'].map((status) => offerPhase(offer({ status }), NOW)),
  ).toEqual(['hidden', 'hidden', 'closed']);
  expect([isListed(offer(), NOW), isListed(offer({ startAt: at(1) }), NOW)]).toEqual([true, false]);
});

test('a special closes with its first game that has a known time', () => {
  expect(
    closesAt(
      offer({ type: 'SPECIAL', games: [game(1, 0, { gameDate: '' }), game(2, 9), game(3, 5)] }),
    ),
  ).toBe(NOW + 9 * 3_600_000);
  expect(closesAt(offer({ games: [] }))).toBeNull();
});

test('an offer costs the sum of its tickets, and each line its own fee where the buyer pays it', () => {
  expect(offerPrice(offer(), 2)).toEqual({ subtotal: 2000, cardFee: 0, total: 2000 });
  expect(
    offerPrice(offer({ games: [game(1, 9, { passStripeFees: true }), game(2, 9)] }), 1),
  ).toEqual({ subtotal: 1000, cardFee: 39, total: 1039 });
  const passing = offer({
    games: [game(1, 9, { passStripeFees: true }), game(2, 9, { passStripeFees: true })],
  });
  expect([offerPrice(passing, 1).cardFee, offerPrice(passing, 1, 'per_charge').cardFee]).toEqual([
    78, 47,
  ]);
});

test('every game that prevents the purchase is named', () => {
  const open = aDraw({ gameDate: at(9) });
  expect(refusal([open], 2, NOW)).toBeNull();
  expect(
    refusal([open, aDraw({ awayTeam: 'Bears', gameDate: at(9), ticketsAvailable: 0 })], 1, NOW),
  ).toBe('Redcliffe Sharks v Bears is sold out, so this offer cannot be added.');
  expect(refusal([aDraw({ gameDate: at(-1) }), open], 1, NOW)).toBe(
    'Redcliffe Sharks v Wynnum Tigers is no longer on sale, so this offer cannot be added.',
  );
  expect(refusal([open, aDraw({ gameDate: at(9), opensAt: at(2) })], 1, NOW)).toBe(
    'Redcliffe Sharks v Wynnum Tigers is not on sale yet, so this offer cannot be added.',
  );
  expect(refusal([aDraw({ gameDate: at(9), ticketsAvailable: 1 })], 2, NOW)).toBe(
    'Only 1 ticket left for Redcliffe Sharks v Wynnum Tigers. Choose fewer.',
  );
});

test('the tag is cut at 90 characters when shown', () => {
  expect(shownTag({ displayTag: 'x'.repeat(90) })).toHaveLength(90);
  expect(shownTag({ displayTag: 'x'.repeat(91) })).toBe(`${'x'.repeat(90)}…`);
  expect(shownTag({ displayTag: '  ' })).toBeNull();
});
