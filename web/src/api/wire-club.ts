/** The shapes on the wire that only a club and the operator see: what is answered as the server describes it, what is sent as the forms know it. */
import type { DrawTemplate as Template } from './generated/schema';

export type {
  MaskedBankDetails,
  UnmaskedBankDetails as BankDetails,
  Claim,
  ClubUser,
  ConnectStatus,
  Financials,
  FixtureRow,
  FixtureImportResult,
  WinnerNotified,
  OwnClub,
  OwnDraw,
  Payout,
  PendingApproval,
  Reauthenticated,
  ResultEntered,
  ClubStats,
  TermsText,
  User,
  Whoami,
  Winners as WinnersResponse,
  WinningTicket as Winner,
} from './generated/schema';

/** What the registration form sends; all of it is there, if only as an empty text. */
export interface Registration {
  name: string;
  email: string;
  password: string;
  location: string;
  phone: string;
}

/** Somebody to be asked in, and as what. */
export interface InvitationRequest {
  name: string;
  email: string;
  role: string;
}

export interface WaitlistEntry {
  clubName: string;
  contactName: string;
  contactEmail: string;
  contactPhone: string;
}

/** What the create form sends; the edit form leaves out what is locked (B:203). */
export interface DrawRequest {
  league: string | null;
  homeTeam: string;
  awayTeam: string;
  /** Local to the draw's zone: `2026-11-20T19:10` (decision E-11). */
  gameDate: string;
  timezone: string;
  contactName: string;
  contactPhone: string;
  ticketPrice?: string;
  prizePercentage?: number;
  passStripeFees?: boolean;
  roundUpPrize?: boolean;
  /** Why the operator changes it; a club says none (decision E-9). */
  reason?: string;
}

/** The last draw again, a week later. */
export type DrawTemplate = Template;

export interface LineProblem {
  line: number;
  message: string;
}

export interface HomePageRequest {
  homePageSlug: string;
  homePageTitle: string;
  homePageTagline: string;
  logoUrl: string;
  primaryColor: string;
  secondaryColor: string;
  accentColor: string;
  homePageEnabled: boolean;
  facebookPixelId: string;
}
