/**
 * Wire types of the club's screens. Responses come from the server's schema. Requests are declared
 * here.
 */
import type { DrawTemplate as Template } from './generated/schema';

export type {
  BuyerOrder,
  ClubActivity,
  ClubTask,
  DrawPace,
  DrawSales,
  DrawWithoutBuyers,
  MaskedBankDetails,
  ResultAuthor,
  SalesCurve,
  TicketsResent,
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

/** Body of the registration request. A field left empty is an empty string. */
export interface Registration {
  name: string;
  email: string;
  password: string;
  location: string;
  phone: string;
}

/** Body of the request that invites a person to a club with a role. */
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

/**
 * Body of the requests that create or change a draw. The edit form omits locked fields
 * (specification line B:199).
 */
export interface DrawRequest {
  league: string | null;
  homeTeam: string;
  awayTeam: string;
  /** Local time in the draw's zone, such as `2026-11-20T19:10` (decision E-11). */
  gameDate: string;
  timezone: string;
  contactName: string;
  contactPhone: string;
  ticketPrice?: string;
  prizePercentage?: number;
  passStripeFees?: boolean;
  roundUpPrize?: boolean;
  /** Reason for an operator's change. Absent when the club makes the change (decision E-9). */
  reason?: string;
}

/**
 * Values of the club's last draw, with kick-off moved by whole weeks into the future. They prefill
 * the form of a new draw.
 */
export type DrawTemplate = Template;

export interface FixtureLineProblem {
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
  /** What the club raises money for. Empty: the page shows no goal. */
  goalText: string;
  /** The goal in dollars with two decimals, or empty. */
  goalAmount: string;
  photoUrl: string;
  sponsorName: string;
  sponsorLogoUrl: string;
}
