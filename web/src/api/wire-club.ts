/** The shapes on the wire that only a club and the operator see. Money is a decimal string unless the name says cents. */
import type { Club, Draw, Ticket } from '@/api/wire';

/** Who signed in; kept in the browser under `user` for display only (decision G-4). For a club the id is the club's. */
export interface User {
  id: number;
  email: string;
  name: string;
  isAdmin: boolean;
  clubSlug: string | null;
  emailVerified?: boolean;
  archived?: boolean;
}

export interface Whoami {
  role: 'super-admin' | 'club-admin' | (string & {});
  clubSlug: string | null;
  user: User;
}

/** A club as its owner sees it. */
export interface OwnClub extends Club {
  email?: string | null;
  phone?: string | null;
  archived?: boolean;
  emailVerified?: boolean;
  /** Whether the home page was ever saved (decision H-2). */
  homePageReady?: boolean;
  latestTermsVersion?: string | null;
}

export interface Registration {
  name: string;
  email: string;
  password: string;
  location: string;
  phone: string;
}

export interface WaitlistEntry {
  clubName: string;
  contactName: string;
  contactEmail: string;
  contactPhone: string;
}

export interface TermsText {
  kind: string;
  version: string;
  title: string;
  text: string;
}

export interface Stats {
  totalRevenue: string;
  ticketsSold: number;
  clubProfit: string;
  feesEstimated?: boolean;
}

export interface ConnectStatus {
  connected: boolean;
  chargesEnabled?: boolean;
  detailsSubmitted?: boolean;
  payoutsEnabled?: boolean;
}

/** A draw as its owner sees it. */
export interface OwnDraw extends Draw {
  editable?: boolean;
  notEditableReason?: string | null;
  /** Tickets are sold, so price, prize and rounding stay. */
  locked?: boolean;
  ownedByCaller?: boolean;
}

/** What the create form sends; the edit form leaves out what is locked (B:203). */
export interface DrawWanted {
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
}

/** The last draw again, a week later. */
export interface DrawTemplate extends DrawWanted {
  ticketPrice: string;
  prizePercentage: number;
  passStripeFees: boolean;
  roundUpPrize: boolean;
}

/** A ticket with its buyer; pairs only after the reveal. */
export type ClubTicket = Ticket;

/** Bank details as they are ever listed: masked (decision B-4). */
export interface MaskedBank {
  accountName: string;
  accountNumber: string;
  bsb: string;
  receivedAt: string;
  from: 'winner' | 'club' | (string & {});
}

export type WinnerPayoutStatus = 'pending' | 'details_received' | 'completed' | (string & {});

export interface Winner {
  ticketNumber: number;
  serialNumber: string;
  homeNumber: number;
  awayNumber: number;
  sold: boolean;
  buyerName: string | null;
  buyerEmail: string | null;
  buyerPhone: string | null;
  winnerPayoutStatus?: WinnerPayoutStatus | null;
  respondBy?: string | null;
  bank?: MaskedBank | null;
}

export interface WinnersAnswer {
  winningTickets: Winner[];
  prize: string;
  notified: boolean;
}

export interface ResultEntered {
  winningTickets: Winner[];
  prize: string;
  draw: Draw;
}

export interface Notified {
  emailsSent: number;
  totalWinners: number;
}

export interface Financials {
  soldTickets: number;
  totalRevenue: string;
  actualStripeFees: string;
  feesEstimated: boolean;
  platformFee: string;
  prizePool: string;
  clubRevenue: string;
  actualTransactionCount: number;
  cardFeesPaidByBuyers?: string;
  clubProfit?: string;
}

export interface Payout {
  id: number;
  drawId: number;
  type: 'club_share' | 'winner' | (string & {});
  amount: string;
  status: 'pending' | 'completed' | 'failed' | (string & {});
  recipientName: string | null;
  recipientEmail: string | null;
  note: string | null;
  failureReason: string | null;
  createdAt: string;
  completedAt: string | null;
}

export interface BankDetails {
  accountName: string;
  accountNumber: string;
  bsb: string;
}

/** What a winner sees behind the one-time link. */
export interface Claim {
  state: 'open' | 'received' | 'completed' | 'expired' | (string & {});
  drawNumber: number;
  serialNumber: string;
  homeTeam: string;
  awayTeam: string;
  gameDate: string;
  timezone: string;
  homeNumber: number;
  awayNumber: number;
  prize: string;
  winnerName: string | null;
  clubName: string;
  clubSlug: string;
  contactName: string | null;
  contactPhone: string | null;
  respondBy: string | null;
}

export interface LineProblem {
  line: number;
  message: string;
}

export interface FixtureRow {
  line: number;
  league: string | null;
  homeTeam: string;
  awayTeam: string;
  gameDate: string;
  timezone: string;
  alreadyThere: boolean;
}

export interface FixturesAnswer {
  dryRun: boolean;
  found: number;
  alreadyThere: number;
  created: number;
  drawNumbers: number[];
  rows?: FixtureRow[];
}

export interface HomePageWanted {
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
