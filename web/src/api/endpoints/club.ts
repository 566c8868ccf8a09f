/** API calls of the club's screens, and the paths of the responses that these screens cache. */
import { del, download, get, patch, post, put } from '@/api/http';
import { withReauthentication } from '@/api/reauthentication';
import type { Draw } from '@/api/wire';
import type {
  BankDetails,
  BuyerOrder,
  Claim,
  ClubUser,
  DrawTemplate,
  DrawRequest,
  FixtureImportResult,
  HomePageRequest,
  InvitationRequest,
  MaskedBankDetails,
  WinnerNotified,
  OwnClub,
  Payout,
  Reauthenticated,
  Registration,
  ResultEntered,
  TicketsResent,
  User,
  WaitlistEntry,
  Whoami,
} from '@/api/wire-club';
import type { Offer, OfferRequest } from '@/api/wire-offer';

const encodePathPart = encodeURIComponent;

export const joinWaitlist = (entry: WaitlistEntry) => post<unknown>('/api/waitlist', entry);
/** Logs in. With `staySignedIn`, a club's session lasts longer; the server decides how long. */
export const logInWithPassword = (email: string, password: string, staySignedIn = false) =>
  post<User>('/api/clubs/login', { email, password, staySignedIn });
export const registerNewClub = (request: Registration) =>
  post<User>('/api/clubs/register', request);
/** Returns the page name (slug) that the server would give a new club of this name. */
export const fetchSlugPreview = (name: string) =>
  get<{ slug: string }>(`/api/clubs/slug-preview?name=${encodePathPart(name)}`);
export const verifyEmail = (token: string) =>
  post<{ verified: boolean }>('/api/clubs/verify-email', { token });
export const sendVerificationMail = (club: number) =>
  post<{ message: string }>(`/api/clubs/${club}/verification-email`, {});
export const requestPasswordReset = (email: string) =>
  post<unknown>('/api/clubs/reset-password', { email });
export const confirmPasswordReset = (token: string, newPassword: string) =>
  post<unknown>('/api/clubs/reset-password-confirm', { token, newPassword });
export const logout = () => post<void>('/api/auth/logout', {});
/**
 * Sends the password again as a fresh proof of identity, which some endpoints require. An operator
 * sends a code instead.
 */
export const reauthenticateWithPassword = (password: string) =>
  post<Reauthenticated>('/api/auth/reauthenticate', { password });
export const reauthenticateWithCode = (code: string) =>
  post<Reauthenticated>('/api/admin/reauthenticate', { code });
export const fetchWhoami = () => get<Whoami>('/api/admin/whoami');

/**
 * API paths whose responses the club's pages cache. After a write, these paths select the cached
 * responses to reload.
 */
export const CLUB_API_PATHS = {
  club: (idOrSlug: number | string) => `/api/clubs/${encodePathPart(idOrSlug)}`,
  stats: (club: number) => `/api/clubs/${club}/stats`,
  tasks: (club: number) => `/api/clubs/${club}/to-do`,
  pace: (club: number) => `/api/clubs/${club}/pace`,
  activity: (club: number) => `/api/clubs/${club}/activity`,
  draws: (club: number) => `/api/clubs/${club}/draws`,
  awaiting: (club: number) => `/api/draws/awaiting-results?clubId=${club}`,
  connect: (club: number) => `/api/clubs/${club}/stripe-connect/status`,
  draw: (draw: number) => `/api/draws/${draw}`,
  financials: (draw: number) => `/api/draws/${draw}/financials`,
  sales: (draw: number) => `/api/draws/${draw}/sales`,
  payouts: (draw: number) => `/api/draws/${draw}/payouts`,
  winners: (draw: number) => `/api/draws/${draw}/winners`,
  people: (club: number) => `/api/clubs/${club}/users`,
  offers: (slug: string) => `/api/admin/clubs/${encodePathPart(slug)}/bundles`,
  offer: (slug: string, offer: number) =>
    `/api/admin/clubs/${encodePathPart(slug)}/bundles/${offer}`,
  serviceTerms: '/api/terms/service',
  audit: '/api/admin/payment-integrity-audit',
  stripeDebug: '/api/stripe-debug',
  stripeSums: '/api/stripe-debug/sums',
} as const;

export const startStripeOnboarding = (club: number) =>
  withReauthentication(() =>
    post<{ onboardingUrl: string }>(`/api/clubs/${club}/stripe-connect`, {}),
  );
/**
 * Records that the club accepts the terms. The server takes the IP address and the browser from the
 * request's connection and header, and ignores those in this body (decision E-17).
 */
export const acceptTerms = (clubId: number, termsVersion: string) =>
  post<unknown>('/api/terms/accept', {
    clubId,
    ipAddress: null,
    userAgent: navigator.userAgent,
    termsVersion,
  });

export const fetchDrawTemplate = (club: number) =>
  get<DrawTemplate>(`/api/clubs/${club}/draw-template`);
export const createDraw = (club: number, request: DrawRequest) =>
  post<Draw>('/api/draws', { ...request, clubId: club });
/** Checks a new draw as the server would on creation, and creates nothing. */
export const checkDraw = (club: number, request: DrawRequest) =>
  post<void>('/api/draws/check', { ...request, clubId: club });
/** Cancels a draw that has no sales. */
export const cancelUnsoldDraw = (draw: number) =>
  withReauthentication(() => post<Draw>(`/api/draws/${draw}/cancel`, {}));
export const changeDraw = (draw: number, request: DrawRequest) =>
  patch<Draw>(CLUB_API_PATHS.draw(draw), request);
export const archiveDraw = (draw: number, archived: boolean) =>
  patch<Draw>(`/api/draws/${draw}/archive`, { archived });
export const submitResults = (draw: number, home: number, away: number) =>
  withReauthentication(() =>
    post<ResultEntered>(`/api/draws/${draw}/results`, {
      homeFirstTryScorer: home,
      awayFirstTryScorer: away,
    }),
  );
/** Mails the winner. With `again`, sends another mail with a new link. */
export const notifyWinners = (draw: number, again: boolean) =>
  post<WinnerNotified>(`/api/draws/${draw}/notify-winners`, { again });
/** Records that the club has paid the prize. The server mails the winner ten minutes later. */
export const recordPrizePaid = (draw: number, note: string) =>
  withReauthentication(async () => {
    const payout = await post<Payout>(CLUB_API_PATHS.payouts(draw), { type: 'winner' });
    return patch<Payout>(`/api/payouts/${payout.id}`, { status: 'completed', note });
  });
/** Sets a payout that was marked as paid back to pending, within 24 hours. */
export const undoPayout = (payout: number) =>
  withReauthentication(() => patch<Payout>(`/api/payouts/${payout}`, { status: 'pending' }));
export const saveWinnerBank = (draw: number, bank: BankDetails) =>
  withReauthentication(() => put<MaskedBankDetails>(`/api/draws/${draw}/winner-bank`, bank));
/**
 * Returns the winner's full bank details, for a transfer. The password also serves as the fresh
 * proof of identity.
 */
export const revealWinnerBank = (draw: number, password: string) =>
  withReauthentication(
    () => post<BankDetails>(`/api/draws/${draw}/winner-bank/reveal`, { password }),
    password,
  );
/** Removes the proposed bank details of a winner that await the approval of a second person. */
export const removeProposedWinnerBank = (draw: number) =>
  withReauthentication(() => del<void>(`/api/draws/${draw}/winner-bank/proposal`));
export const fetchPrizeClaim = (token: string) => post<Claim>('/api/claims/look', { token });
export const submitClaimBankDetails = (token: string, bank: BankDetails) =>
  post<Claim>('/api/claims', { token, ...bank });

export const downloadWinnerReport = (draw: number) =>
  download(`/api/draws/${draw}/report`, `draw-${draw}-report.pdf`);
export const downloadTicketCsv = (draw: number) =>
  download(`/api/draws/${draw}/tickets/csv`, `draw-${draw}-tickets.csv`);
export const downloadDrawPoster = (draw: number) =>
  download(`/api/draws/${draw}/poster`, `draw-${draw}-poster.pdf`);
export const downloadPaymentRecoveryReport = () =>
  download('/api/admin/payment-recovery-report', 'payment-recovery-report.txt');

/**
 * Values that all draws of an imported season share. The contact is on each draw's public page
 * (decision E-18).
 */
export interface FixtureSeason {
  price: string;
  prize: number;
  contactName: string;
  contactPhone: string;
}

/**
 * Imports the readable lines of a season. The request body is the fixtures table as the spreadsheet
 * saved it. With `dryRun`, the server only checks the table.
 */
export const importFixtures = (
  club: number,
  table: Blob | string,
  { dryRun, price, prize, contactName, contactPhone }: FixtureSeason & { dryRun: boolean },
) =>
  post<FixtureImportResult>(
    `/api/clubs/${club}/fixtures?dryRun=${dryRun}&skipInvalid=true&price=${encodePathPart(price)}&prize=${prize}&contactName=${encodePathPart(contactName)}&contactPhone=${encodePathPart(contactPhone)}`,
    undefined,
    { body: table, headers: { accept: 'application/json', 'content-type': 'text/csv' } },
  );

export const saveHomePage = (
  club: number,
  request: Omit<HomePageRequest, 'goalAmount'> & { goalAmount: string | null },
) => patch<OwnClub>(`/api/clubs/${club}/home-page`, request);

/**
 * Emails the invited person a link for choosing a password. A repeated invitation sends another
 * link.
 */
export const inviteMember = (club: number, request: InvitationRequest) =>
  withReauthentication(() => post<ClubUser>(CLUB_API_PATHS.people(club), request));
export const changeMember = (
  club: number,
  person: number,
  request: { name?: string; role?: string },
) =>
  withReauthentication(() => patch<ClubUser>(`${CLUB_API_PATHS.people(club)}/${person}`, request));
export const removeMember = (club: number, person: number) =>
  withReauthentication(() => del<void>(`${CLUB_API_PATHS.people(club)}/${person}`));

export const createOffer = (slug: string, request: OfferRequest) =>
  post<Offer>(CLUB_API_PATHS.offers(slug), request);
export const changeOffer = (slug: string, offer: number, request: OfferRequest) =>
  put<Offer>(CLUB_API_PATHS.offer(slug, offer), request);
export const archiveOffer = (slug: string, offer: number) =>
  post<unknown>(`${CLUB_API_PATHS.offer(slug, offer)}/archive`, {});

export interface OfferImageUpload {
  filename: string;
  contentType: string;
  /** Bytes of the picture as Base64, without the `data:` prefix. */
  data: string;
  clubSlug: string;
  bundleSlug: string;
  desiredKey: string;
}

export const uploadOfferImage = (image: OfferImageUpload) =>
  post<{ url: string }>('/api/uploads/bundle-image', image);
export const deleteOfferImage = (url: string, clubSlug: string, bundleSlug: string) =>
  del<unknown>('/api/uploads/bundle-image', { url, clubSlug, bundleSlug });

/** Finds the club's paid orders by a part of the buyer's name, e-mail address or phone. */
export const searchBuyers = (club: number, text: string) =>
  get<BuyerOrder[]>(`/api/clubs/${club}/buyers?q=${encodePathPart(text)}`);
/** Mails a buyer's tickets again, to the stored address. */
export const resendTickets = (club: number, order: string) =>
  post<TicketsResent>(`/api/clubs/${club}/orders/${encodePathPart(order)}/resend`, {});
