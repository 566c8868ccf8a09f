/** The platform as a whole, as the operator's console hears it: money, health, configuration, and who did what. */

export interface Analytics {
  ticketsSold: number;
  totalRevenue: string;
  platformFees: string;
  clubRevenue: string;
  prizeMoney: string;
  totalClubs?: number;
  activeClubs?: number;
  totalDraws?: number;
  activeDraws?: number;
  stripeFees?: string;
  feesEstimated?: boolean;
  refunded?: string;
}

/** Columns of equal length, one value for each step. */
export interface Series {
  stepSeconds: number;
  /** Seconds since 1970. */
  at: number[];
  ticketsSold: number[];
  payments: number[];
  revenueCents: number[];
  anomalies: number[];
}

export interface Check {
  ok: boolean;
}

export interface Health {
  status: 'ok' | 'degraded' | 'down' | (string & {});
  checkedAt: string;
  startedAt: string;
  buildVersion: string;
  checks: {
    database: Check & { latencyMs: number };
    provider: Check & { lastAnswerAt: string | null; lastFailureAt: string | null };
    webhook: Check & { lastReceivedAt: string | null; waiting: number };
    mail: Check & { pending: number; dead: number; lastSentAt: string | null };
    sockets: Check & { sessions: number };
    actors: Check & { awake: number };
    reconciler: Check & { lastRunAt: string | null };
    integrity: Check & { violations: Record<string, number> };
  };
}

export interface Configuration {
  feeRateBps: number;
  feeCapCents: number;
  cardFeeBps: number;
  cardFeeFixedCents: number;
  surchargeMode: string;
  feePassthroughAllowed: boolean;
  currency: string;
  country: string;
  timezone: string;
  ticketsPerDraw: number;
  maxPerPurchase: number;
  reservationSeconds: number;
  releaseAfterSeconds: number;
  extensionSeconds: number;
  extensionsMax: number;
  intentsPerSessionPerMinute: number;
  intentsPerAddressPerMinute: number;
  sessionIdleSeconds: { operator: number; club: number };
  termsVersion: string;
  versions: { server: string; database: string; schema: string };
}

export interface FeeReading {
  source: string;
  rateBps: number | null;
  capCents: number;
}

export interface FeeDraw {
  drawNumber: number;
  serialNumber: string;
  homeTeam: string;
  awayTeam: string;
  clubName: string;
  gameDate: string | null;
  status: string;
  ticketsSold: number;
  revenue: string;
  platformFee: string;
  capped: boolean;
}

export interface PlatformFees {
  from: string | null;
  to: string | null;
  feeRateBps: number;
  feeCapCents: number;
  capReachedAtCents: number;
  totalRevenue: string;
  platformFees: string;
  stripeFees: string;
  clubRevenue: string;
  prizeMoney: string;
  readings: FeeReading[];
  draws: FeeDraw[];
}

export interface AuditEntry {
  id: number;
  at: string;
  actor: string;
  by?: string;
  action: string;
  object: string;
  detail: Record<string, unknown>;
  ip?: string | null;
  hash?: string;
  previousHash?: string;
}

export interface AuditPage {
  entries: AuditEntry[];
  next: number | null;
  chain?: { verified: boolean; length: number; head: string; brokenAt: number | null };
}

export interface SearchHit {
  kind: string;
  id: string;
  title: string;
  detail: string;
  section: string;
  key: string;
}

/** One frame of the topic `ops`: the sums, and a counter for each list that rises when the list changed. */
export interface OpsNews {
  anomalies: { total: number; unresolved: number; resolved: number; oldestUnresolvedAt?: string | null };
  waitlist: number;
  orphanedTickets: number;
  maintenanceMode: boolean;
  health: string;
  revisions: Partial<Record<'anomalies' | 'orphans' | 'transactions' | 'settings' | 'clubs' | 'draws' | 'waitlist' | 'footer' | 'audit', number>>;
}
