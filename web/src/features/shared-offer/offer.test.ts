import { expect, test } from 'vitest';
import type { Offer } from '@/api/wire-public';
import { makeDraw } from '@/testing/draw-data';
import {
  offerClosesAt,
  isOfferListed,
  offerPhase,
  offerPrice,
  offerRefusalText,
  shortDisplayTag,
} from './offer';

const NOW = Date.parse('2026-11-20T00:00:00Z');
const isoTimeHoursFromNow = (hours: number) => new Date(NOW + hours * 3_600_000).toISOString();
const makeGame = (id: number, hours: number, more = {}) => ({
  id,
  homeTeam: 'Sharks',
  awayTeam: `Team ${id}`,
  gameDate: isoTimeHoursFromNow(hours),
  ticketPrice: '5.00',
  passStripeFees: false,
  ...more,
});
const makeOffer = (more: Partial<Offer> = {}): Offer => ({
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
  games: [makeGame(1001, 30), makeGame(1002, 20)],
  ...more,
});

test('an offer sells from its start until its end or its first game’s close, whichever is first', () => {
  expect(offerPhase(makeOffer(), NOW)).toBe('open');
  expect(offerPhase(makeOffer({ status: 'locked' }), NOW)).toBe('open');
  expect(offerPhase(makeOffer({ startAt: isoTimeHoursFromNow(1) }), NOW)).toBe('scheduled');
  expect(offerPhase(makeOffer({ end_at: isoTimeHoursFromNow(-1) }), NOW)).toBe('ended');
  expect(offerPhase(makeOffer(), Date.parse(isoTimeHoursFromNow(20)))).toBe('closed');
  expect(
    offerPhase(
      makeOffer({ games: [makeGame(1001, 30, { salesCloseAt: isoTimeHoursFromNow(-1) })] }),
      NOW,
    ),
  ).toBe('closed');
  expect(
    ['draft', 'archived', 'closed'].map((status) => offerPhase(makeOffer({ status }), NOW)),
  ).toEqual(['hidden', 'hidden', 'closed']);
  expect([
    isOfferListed(makeOffer(), NOW),
    isOfferListed(makeOffer({ startAt: isoTimeHoursFromNow(1) }), NOW),
  ]).toEqual([true, false]);
});

test('a special closes with its first game that has a known time', () => {
  expect(
    offerClosesAt(
      makeOffer({
        type: 'SPECIAL',
        games: [makeGame(1, 0, { gameDate: '' }), makeGame(2, 9), makeGame(3, 5)],
      }),
    ),
  ).toBe(NOW + 9 * 3_600_000);
  expect(offerClosesAt(makeOffer({ games: [] }))).toBeNull();
});

test('an offer costs the sum of its tickets, and each line its own fee where the buyer pays it', () => {
  expect(offerPrice(makeOffer(), 2)).toEqual({ subtotal: 2000, cardFee: 0, total: 2000 });
  expect(
    offerPrice(makeOffer({ games: [makeGame(1, 9, { passStripeFees: true }), makeGame(2, 9)] }), 1),
  ).toEqual({ subtotal: 1000, cardFee: 39, total: 1039 });
  const passing = makeOffer({
    games: [makeGame(1, 9, { passStripeFees: true }), makeGame(2, 9, { passStripeFees: true })],
  });
  expect([offerPrice(passing, 1).cardFee, offerPrice(passing, 1, 'per_charge').cardFee]).toEqual([
    78, 47,
  ]);
});

test('every game that prevents the purchase is named', () => {
  const open = makeDraw({ gameDate: isoTimeHoursFromNow(9) });
  expect(offerRefusalText([open], 2, NOW)).toBeNull();
  expect(
    offerRefusalText(
      [
        open,
        makeDraw({ awayTeam: 'Bears', gameDate: isoTimeHoursFromNow(9), ticketsAvailable: 0 }),
      ],
      1,
      NOW,
    ),
  ).toBe('Redcliffe Sharks v Bears is sold out, so this offer cannot be added.');
  expect(offerRefusalText([makeDraw({ gameDate: isoTimeHoursFromNow(-1) }), open], 1, NOW)).toBe(
    'Redcliffe Sharks v Wynnum Tigers is no longer on sale, so this offer cannot be added.',
  );
  expect(
    offerRefusalText(
      [open, makeDraw({ gameDate: isoTimeHoursFromNow(9), opensAt: isoTimeHoursFromNow(2) })],
      1,
      NOW,
    ),
  ).toBe('Redcliffe Sharks v Wynnum Tigers is not on sale yet, so this offer cannot be added.');
  expect(
    offerRefusalText([makeDraw({ gameDate: isoTimeHoursFromNow(9), ticketsAvailable: 1 })], 2, NOW),
  ).toBe('Only 1 ticket left for Redcliffe Sharks v Wynnum Tigers. Choose fewer.');
});

test('the tag is cut at 90 characters when shown', () => {
  expect(shortDisplayTag({ displayTag: 'x'.repeat(90) })).toHaveLength(90);
  expect(shortDisplayTag({ displayTag: 'x'.repeat(91) })).toBe(`${'x'.repeat(90)}…`);
  expect(shortDisplayTag({ displayTag: '  ' })).toBeNull();
});
