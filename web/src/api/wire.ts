/** The shapes on the wire, as the server speaks them. Money is a decimal string unless the name ends in `Cents` or says cents. */

export type DrawStatus = 'active' | 'closed' | 'completed' | 'cancelled' | (string & {});

export interface Draw {
  id: number;
  drawNumber: number;
  serialNumber: string;
  league: string | null;
  homeTeam: string;
  awayTeam: string;
  clubId: number;
  clubSlug: string;
  clubName: string;
  clubPrimaryColor?: string | null;
  clubAccentColor?: string | null;
  clubLogoUrl?: string | null;
  gameDate: string;
  timezone: string;
  opensAt?: string | null;
  ticketPrice: string;
  ticketsSold: number;
  ticketsHeld: number;
  ticketsAvailable: number;
  status: DrawStatus;
  prizePercentage: number;
  roundUpPrize: boolean;
  passStripeFees: boolean;
  archived?: boolean;
  homeFirstTryScorer: number | null;
  awayFirstTryScorer: number | null;
  winningTicketSerial: string | null;
  winningTicketSold: boolean | null;
  currentPrize: string;
  maxPrize: string;
  commitment?: string | null;
  revision: number;
  contactName?: string | null;
  contactPhone?: string | null;
  connectedAccountId?: string | null;
}

/** What a frame says of a draw; everything in it may change while somebody looks. */
export interface DrawNews {
  drawNumber: number;
  status: DrawStatus;
  ticketsSold: number;
  ticketsHeld: number;
  ticketsAvailable: number;
  currentPrize: string;
  prizePoolCents?: number;
  maxPrize: string;
  gameDate: string;
  homeFirstTryScorer: number | null;
  awayFirstTryScorer: number | null;
  winningTicketSerial: string | null;
  winningTicketSold: boolean | null;
}

export interface PublicNews {
  maintenanceMode: boolean;
  buildVersion: string;
}

interface FrameOf<Type extends string, Data> {
  v: number;
  topic: string;
  seq: number;
  serverNow: number;
  type: Type;
  data: Data;
}

export type Frame =
  | FrameOf<'draw', DrawNews>
  | FrameOf<'draws', DrawNews[]>
  | FrameOf<'public', PublicNews>
  | FrameOf<'order', OrderAnswer>
  | FrameOf<'ops', unknown>
  | FrameOf<'heartbeat', unknown>;

export interface Config {
  publishableKey: string;
  supportEmail: string;
  supportSms: string;
  buildVersion: string;
  currency: string;
  maxPerPurchase: number;
  feeRateBps: number;
  feeCapCents: number;
  demo: boolean;
  stripeJs: string;
  /** Whether clubs may pass the card fee on to buyers (decision D-14). */
  feePassthroughAllowed?: boolean;
}

/** What the server puts into the page for the first render. */
export interface Boot {
  config?: Config;
  maintenanceMode?: boolean;
  draw?: Draw | null;
  draws?: Draw[];
  club?: Club | null;
  order?: OrderAnswer | null;
  now?: number;
}

export interface ClubSummary {
  id: number;
  name: string;
  slug: string;
  logoUrl: string | null;
  primaryColor: string | null;
}

export interface Club extends ClubSummary {
  secondaryColor: string | null;
  accentColor: string | null;
  homePageSlug?: string;
  homePageTitle: string | null;
  homePageTagline: string | null;
  homePageEnabled?: boolean;
  canonicalSlug?: string;
  facebookPixelId?: string | null;
  activeDraws?: Draw[];
  completedDraws?: Draw[];
}

export interface FooterMenu {
  id: number;
  heading: string;
  displayOrder: number;
  items: { id: number; label: string; url: string; displayOrder: number }[];
}

export interface Ticket {
  id: number;
  ticketNumber: number;
  serialNumber: string;
  sold: boolean;
  homeNumber: number | null;
  awayNumber: number | null;
  isWinner: boolean | null;
}

export interface OwnTicket {
  ticketNumber: number;
  serialNumber: string;
  drawNumber?: number;
  homeNumber: number;
  awayNumber: number;
  isWinner?: boolean | null;
}

export interface Buyer {
  buyerName: string;
  buyerEmail: string;
  buyerPhone: string;
}

export interface IntentAnswer {
  clientSecret: string;
  paymentIntentId: string;
  amount: number;
  connectedAccountId: string;
  reservationId: string;
  orderToken: string;
  expiresAt: string;
  serverTime: string | number;
  ticketCount: number;
}

export type CompletionStatus = 'succeeded' | 'processing' | 'requires_action' | 'requires_payment_method' | 'not_charged' | (string & {});

export interface CompletionAnswer {
  success: boolean;
  status: CompletionStatus;
  paymentIntentId: string;
  orderToken: string;
  tickets: OwnTicket[];
  message?: string;
  clientSecret?: string;
}

export interface OrderLine {
  drawNumber: number;
  homeTeam: string;
  awayTeam: string;
  league: string | null;
  gameDate: string;
  timezone: string;
  status: DrawStatus;
  ticketCount: number;
  ticketPrice: string;
  currentPrize: string;
  ticketsSold: number;
  tickets: OwnTicket[];
}

export interface OrderAnswer {
  state: string;
  status: CompletionStatus;
  paymentIntentId: string | null;
  orderToken: string;
  /** Cents. */
  amount: number;
  subtotal: string;
  cardFee: string;
  clubName: string;
  clubSlug: string;
  buyerName: string | null;
  buyerEmailMasked: string | null;
  purchasedAt: string | null;
  reason: string | null;
  refund: { state: string; amount: string } | null;
  lines: OrderLine[];
}

export interface Proof {
  drawNumber: number;
  commitment: string;
  seed: string | null;
  revealed: boolean;
  algorithm: string;
  soldTickets: number[];
  result: { home: number; away: number } | null;
  winningTicket: number | null;
}

export interface Widget {
  type: string;
  title: string;
  status: string;
  opensAt: string | null;
  closesAt: string | null;
  purchaseUrl: string;
  prizePoolCents: number;
  ticketsSold: number;
  ticketsCap: number | null;
}
