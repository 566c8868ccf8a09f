/** Fixtures of the console's platform sections, for unit tests and screenshots. */
import type {
  Analytics,
  AuditEntry,
  Configuration,
  Health,
  PlatformFees,
  Series,
} from '@/api/wire-platform';

const MINUTE_MS = 60_000;
const minutesBefore = (nowMs: number, minutes: number) =>
  new Date(nowMs - minutes * MINUTE_MS).toISOString();

export const makeHealth = (nowMs: number): Health => ({
  status: 'ok',
  checkedAt: minutesBefore(nowMs, 0),
  startedAt: minutesBefore(nowMs, 6000),
  buildVersion: '0.1.0',
  checks: {
    database: { ok: true, latencyMs: 2 },
    provider: { ok: true, lastAnswerAt: minutesBefore(nowMs, 0), lastFailureAt: null },
    webhook: { ok: true, lastReceivedAt: minutesBefore(nowMs, 3), waiting: 0, outOfTime: 0 },
    mail: { ok: true, pending: 0, dead: 0, lastSentAt: minutesBefore(nowMs, 3) },
    sockets: { ok: true, sessions: 42 },
    actors: { ok: true, awake: 6, paused: 0 },
    reconciler: { ok: true, lastRunAt: minutesBefore(nowMs, 1) },
    clock: { ok: true, offMs: 0 },
    integrity: { ok: true, violations: {} },
  },
});

export const ANALYTICS: Analytics = {
  ticketsSold: 426,
  totalRevenue: '2130.00',
  platformFees: '52.18',
  clubRevenue: '1954.40',
  prizeMoney: '1090.00',
  totalClubs: 4,
  activeClubs: 3,
  totalDraws: 6,
  activeDraws: 2,
  stripeFees: '123.42',
  feesEstimated: true,
  refunded: '60.00',
};

export const CONFIGURATION: Configuration = {
  feeRateBps: 350,
  feeCapCents: 1100,
  cardFeeBps: 170,
  cardFeeFixedCents: 30,
  surchargeMode: 'per_line',
  feePassthroughAllowed: true,
  currency: 'aud',
  country: 'AU',
  timezone: 'Australia/Brisbane',
  ticketsPerDraw: 169,
  maxPerPurchase: 50,
  reservationSeconds: 120,
  releaseAfterSeconds: 150,
  extensionSeconds: 120,
  extensionsMax: 10,
  intentsPerSessionPerMinute: 10,
  intentsPerAddressPerMinute: 600,
  sessionIdleSeconds: { operator: 7200, club: 43_200 },
  termsVersion: '1.0',
  versions: { server: '0.1.0', database: 'PostgreSQL 18.4', schema: '20261120000003' },
};

export function makeMetricSeries(nowMs: number): Series {
  const steps = 96;
  const at = Array.from({ length: steps }, (_, n) => Math.floor(nowMs / 1000) - (steps - n) * 900);
  const wave = (top: number, phase: number) =>
    at.map((_, n) =>
      Math.max(0, Math.round(top * Math.sin((n + phase) / 11) ** 4 + (n > 80 ? (n - 80) / 3 : 0))),
    );
  return {
    stepSeconds: 900,
    at,
    ticketsSold: wave(9, 0),
    payments: wave(5, 2),
    revenueCents: wave(9, 0).map((sold) => sold * 500),
    anomalies: at.map((_, n) => (n === 40 || n === 92 ? 1 : 0)),
  };
}

export const makeAuditEntries = (nowMs: number): AuditEntry[] => [
  {
    id: 12,
    at: minutesBefore(nowMs, 8),
    actor: 'operator@demo.test',
    by: 'Super Admin',
    name: 'Nora Field',
    action: 'set-maintenance-mode',
    object: 'setting:maintenance_mode',
    detail: { before: true, after: false },
    ip: '203.0.113.7',
    hash: 'a4f1c09be7d2',
    previousHash: '77b2e0014cc9',
  },
  {
    id: 11,
    at: minutesBefore(nowMs, 31),
    actor: 'system',
    by: 'System',
    name: null,
    action: 'heal-anomaly',
    object: 'anomaly:5f0c1a52',
    detail: { reason: 'refunded' },
    ip: null,
    hash: '77b2e0014cc9',
    previousHash: '0ae3',
  },
];

export function makeFeesReport(nowMs: number): PlatformFees {
  return {
    from: null,
    to: null,
    feeRateBps: 350,
    feeCapCents: 1100,
    capReachedAtCents: 31_415,
    totalRevenue: '2130.00',
    platformFees: '52.18',
    stripeFees: '123.42',
    clubRevenue: '1954.40',
    prizeMoney: '1090.00',
    readings: [
      { source: 'console fee report and club terms', rateBps: 350, capCents: 1100 },
      { source: 'a club dashboard', rateBps: 300, capCents: 1000 },
      { source: 'a note on the transactions screen', rateBps: null, capCents: 1000 },
    ],
    draws: [113, 41, 169].map((sold, n) => ({
      drawNumber: 1042 + n,
      serialNumber: `FD-${1042 + n}`,
      homeTeam: 'Redcliffe Sharks',
      awayTeam: 'Wynnum Tigers',
      clubName: 'Redcliffe Sharks',
      gameDate: minutesBefore(nowMs, n * 1440),
      timezone: 'Australia/Brisbane',
      status: n === 2 ? 'completed' : 'active',
      ticketsSold: sold,
      revenue: (sold * 5).toFixed(2),
      platformFee: Math.min(11, sold * 0.175).toFixed(2),
      capped: sold * 0.175 > 11,
    })),
  };
}

export const platformResponses = (nowMs: number): Record<string, unknown> => ({
  'GET /api/admin/analytics': ANALYTICS,
  'GET /api/admin/series?hours=24': makeMetricSeries(nowMs),
  'GET /api/admin/health': makeHealth(nowMs),
  'GET /api/admin/configuration': CONFIGURATION,
  'GET /api/admin/platform-fees': makeFeesReport(nowMs),
  'GET /api/admin/audit': {
    entries: makeAuditEntries(nowMs),
    next: null,
    total: 2,
    chain: { verified: true, length: 12, head: 'a4f1c09be7d2', brokenAt: null },
  },
});
