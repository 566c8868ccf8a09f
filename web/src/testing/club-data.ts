import type { Claim, OwnClub, OwnDraw, User, Whoami, Winner } from '@/api/wire-club';
import type { Offer } from '@/api/wire-offer';
import type { Draw } from '@/api/wire';
import { roleOf } from '@/features/club/session/roles';
import { makeDraw } from './draw-data';

/** Fixtures of a signed-in club and its winner. A test overrides only the fields it needs. */
export const makeUser = (more: Partial<User> = {}): User => ({
  id: 1,
  email: 'sharks@example.com',
  name: 'Sharks',
  isAdmin: false,
  clubSlug: 'sharks',
  archived: false,
  emailVerified: true,
  secondFactor: null,
  role: more.isAdmin ? null : 'owner',
  memberName: null,
  memberEmail: null,
  ...more,
});

export const makeWhoami = (more: Partial<User> = {}): Whoami => {
  const user = makeUser(more);
  return {
    role: user.isAdmin ? 'super-admin' : 'club-admin',
    clubSlug: user.clubSlug,
    user,
    secondFactor: user.secondFactor,
    reauthenticatedUntil: null,
    sessionEndsAt: '2099-01-01T00:00:00Z',
  };
};

export const makePageContext = (more: Partial<User> = {}) => ({
  user: makeUser(more),
  club: {
    id: 1,
    name: 'Sharks',
    slug: 'sharks',
    archived: more.archived ?? false,
    role: roleOf(makeUser(more)),
  },
});

/** Creates a draw as its owner sees it. */
export const makeOwnDraw = (more: Partial<OwnDraw> = {}): OwnDraw => {
  const draw: Draw = makeDraw(more);
  return {
    ...draw,
    editable: true,
    notEditableReason: null,
    locked: draw.ticketsSold > 0,
    ownedByCaller: true,
    ...more,
  };
};

export const makeOwnClub = (more: Partial<OwnClub> = {}): OwnClub => ({
  id: 1,
  name: 'Sharks',
  slug: 'sharks',
  canonicalSlug: 'sharks',
  homePageSlug: 'sharks',
  homePageTitle: 'Sharks',
  homePageTagline: '',
  homePageEnabled: true,
  homePageReady: true,
  logoUrl: null,
  primaryColor: '#1f2937',
  secondaryColor: '#374151',
  accentColor: '#3b82f6',
  facebookPixelId: null,
  goalText: null,
  goalAmount: null,
  photoUrl: null,
  sponsorName: null,
  sponsorLogoUrl: null,
  email: 'sharks@example.com',
  emailVerified: true,
  phone: null,
  location: null,
  archived: false,
  latestTermsVersion: '1.0',
  stripeConnectAccountId: 'acct_1',
  stripeConnectOnboardingComplete: true,
  ...more,
});

export const makeOffer = (more: Partial<Offer> = {}): Offer => ({
  id: 1,
  clubId: 1,
  clubSlug: 'sharks',
  name: 'Round 1',
  slug: 'round-1',
  status: 'draft',
  type: 'BUNDLE',
  displayTag: null,
  primaryCopy: null,
  shareImageUrl: null,
  gameIds: [],
  games: [],
  ticketsSold: 0,
  editable: true,
  startAt: null,
  endAt: null,
  createdAt: '2026-11-01T00:00:00Z',
  updatedAt: '2026-11-01T00:00:00Z',
  ...more,
});

export const makeClaim = (more: Partial<Claim> = {}): Claim => ({
  state: 'open',
  drawNumber: 1042,
  serialNumber: 'FD-1042-007',
  league: null,
  homeTeam: 'Redcliffe Sharks',
  awayTeam: 'Wynnum Tigers',
  gameDate: '2026-11-20T09:10:00Z',
  timezone: 'Australia/Brisbane',
  homeNumber: 7,
  awayNumber: 9,
  prize: '290.00',
  winnerName: 'Robin',
  clubName: 'Sharks',
  clubSlug: 'sharks',
  contactName: 'Kim',
  contactPhone: '0400 000 000',
  respondBy: '2026-11-27T09:10:00Z',
  bank: null,
  ...more,
});

export const makeWinner = (more: Partial<Winner> = {}): Winner => ({
  ticketNumber: 7,
  serialNumber: 'FD-1042-007',
  homeNumber: 7,
  awayNumber: 9,
  sold: true,
  buyerName: 'Robin',
  buyerEmail: 'robin@example.com',
  buyerPhone: '0400 000 000',
  winnerPayoutStatus: 'pending',
  respondBy: null,
  bank: null,
  disputed: false,
  ...more,
});
