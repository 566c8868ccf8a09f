/** Fixtures of the operator's console on a busy evening, for unit tests and screenshots. */
import type {
  AdminClub,
  AdminDraw,
  AdminFooterMenu,
  AdminTicket,
  Anomaly,
  OrderDetail,
  OrphanedTicket,
  SystemSetting,
  Transaction,
  TransactionSums,
  WaitlistEntry,
  Whoami,
} from '@/api/wire-operator';
import { makeDraw } from './draw-data';
import { platformResponses } from './platform-data';

const MINUTE_MS = 60_000;
const minutesBefore = (nowMs: number, minutes: number) =>
  new Date(nowMs - minutes * MINUTE_MS).toISOString();

export const OPERATOR_WHOAMI: Whoami = {
  role: 'super-admin',
  clubSlug: null,
  secondFactor: 'done',
  reauthenticatedUntil: null,
  sessionEndsAt: '2099-01-01T00:00:00Z',
  user: {
    id: 1,
    email: 'operator@demo.test',
    name: 'Super Admin',
    isAdmin: true,
    clubSlug: null,
    archived: false,
    emailVerified: true,
    secondFactor: 'done',
    role: null,
    memberName: null,
    memberEmail: null,
  },
};

export const makeAnomaly = (more: Partial<Anomaly> = {}): Anomaly => ({
  id: '5f0c1a52-0d0e-4c8e-8a53-6f3f5c1d0001',
  type: 'duplicate_payment',
  paymentIntentId: 'pi_3QdemoAAAA21Xk',
  amount: '10.47',
  customerEmail: 'jo.martin@example.com',
  detectedAt: '2026-11-21T03:00:00Z',
  resolved: false,
  details: {
    note: 'Two payments succeeded for one order.',
    orderState: 'captured',
    providerStatus: 'succeeded',
  },
  orderId: '0b0c1a52-0d0e-4c8e-8a53-6f3f5c1d0009',
  drawNumbers: [1042],
  ticketCount: 2,
  clubId: 1,
  clubName: 'Redcliffe Sharks',
  customerName: null,
  customerPhone: null,
  resolvedAt: null,
  resolvedBy: null,
  resolvedByEmail: null,
  resolvedByName: null,
  resolution: null,
  stripeUrl: null,
  ...more,
});

export function makeAnomalies(nowMs: number): Anomaly[] {
  const id = (n: number) => `5f0c1a52-0d0e-4c8e-8a53-6f3f5c1d00${String(n).padStart(2, '0')}`;
  const kinds = [
    'missing_ticket',
    'mismatched_amount',
    'failed_allocation',
    'duplicate_payment',
    'orphaned_ticket',
  ];
  const mails = ['jo.martin@example.com', null, 't.lee@example.com', 'p.naidu@example.com', null];
  const notes = [
    'Captured without tickets: a payment made in the provider’s dashboard.',
    'Charged $20.35, the order says $20.05.',
    'The draw closed between authorisation and allocation.',
    'Two payments succeeded for one order.',
    'A wallet gave no name and no e-mail.',
  ];
  return Array.from({ length: 14 }, (_, n) => {
    const kind = n % 5;
    const resolved = n > 2;
    return makeAnomaly({
      id: id(n + 1),
      type: kinds[kind],
      paymentIntentId: `pi_3Qdemo${String(7 * n + 21).padStart(4, '0')}Xk`,
      amount: ['10.47', '20.35', '5.38', '10.47', '5.00'][kind],
      customerEmail: mails[kind],
      detectedAt: minutesBefore(nowMs, [2, 4, 6, 31, 58][n] ?? 60 * n),
      resolved,
      resolvedAt: resolved ? minutesBefore(nowMs, 20 * n) : null,
      resolvedBy: resolved ? (n % 2 ? 'System' : 'Super Admin') : null,
      resolution: resolved ? (n % 2 ? 'healed' : 'refunded') : null,
      details: {
        note: notes[kind],
        orderState: 'captured',
        providerStatus: 'succeeded',
        amountReceivedCents: 1047,
        tries: 3,
      },
    });
  });
}

export function makeTransactions(nowMs: number): Transaction[] {
  return Array.from({ length: 26 }, (_, n) => {
    const count = (n % 4) + 1;
    const charged = count * 539;
    const stripe = Math.round(charged * 0.017) + 30;
    const fee = Math.round(count * 500 * 0.035);
    const dollars = (cents: number) => (cents / 100).toFixed(2);
    return {
      paymentIntentId: `pi_3Qtx${String(n).padStart(6, '0')}Zz`,
      status: n === 4 ? 'requires_payment_method' : 'succeeded',
      createdAt: minutesBefore(nowMs, 3 + n * 17),
      created: Math.floor(nowMs / 1000) - (3 + n * 17) * 60,
      paymentMethod: ['card', 'apple_pay', 'google_pay'][n % 3] ?? 'card',
      amount: charged,
      stripeFee: stripe,
      platformFeeCents: fee,
      clubPayoutCents: charged - stripe - fee,
      drawId: 1042 + (n % 3),
      drawNumbers: [1042 + (n % 3)],
      clubId: (n % 3) + 1,
      ticketCount: count,
      ticketPrice: '5.00',
      customerCharged: dollars(charged),
      stripeFees: dollars(stripe),
      platformFee: dollars(fee),
      clubPayout: dollars(charged - stripe - fee),
      prizePool: '0.00',
      orderId: `0b0c1a52-0d0e-4c8e-8a53-6f3f5c1d${String(n).padStart(4, '0')}`,
      clubName: ['Redcliffe Sharks', 'Burleigh Bears', 'Wynnum Tigers'][n % 3] ?? null,
      homeTeam: 'Redcliffe Sharks',
      awayTeam: 'Wynnum Tigers',
      lines: [{ drawNumber: 1042 + (n % 3), ticketCount: count, ticketPrice: '5.00' }],
      customerEmail: n % 5 === 0 ? null : `buyer${n}@example.com`,
      customerName: n % 5 === 0 ? null : `Robin Buyer ${n}`,
      feesEstimated: n === 0,
      refunded: n === 7 ? dollars(charged) : '0.00',
      refundState: n === 7 ? 'succeeded' : null,
      refundNote: null,
      disputed: n === 11,
      stripeUrl: null,
    };
  });
}

/** A captured order of two tickets, with its confirmation mail. A test overrides what it needs. */
export const makeOrderDetail = (more: Partial<OrderDetail> = {}): OrderDetail => ({
  id: '0b0c1a52-0d0e-4c8e-8a53-6f3f5c1d0009',
  state: 'captured',
  paymentIntentId: 'pi_3QdemoAAAA21Xk',
  clubName: 'Redcliffe Sharks',
  buyerName: 'Robin',
  buyerEmail: 'r@example.com',
  buyerPhone: '0400 000 000',
  total: '20.00',
  subtotal: '20.00',
  cardFee: '0.00',
  platformFee: '0.70',
  stripeFee: '0.64',
  paymentMethod: 'card',
  createdAt: '2026-11-24T07:14:02Z',
  authorisedAt: '2026-11-24T07:14:31Z',
  allocatedAt: '2026-11-24T07:14:31.038Z',
  capturedAt: '2026-11-24T07:14:32Z',
  endedAt: null,
  endReason: null,
  consented: true,
  bankNotices: [],
  mails: [
    {
      kind: 'tickets',
      to: 'r@example.com',
      state: 'sent',
      queuedAt: '2026-11-24T07:14:32Z',
      sentAt: '2026-11-24T07:14:33Z',
    },
  ],
  lines: [
    {
      drawNumber: 1004,
      homeTeam: 'Barracudas',
      awayTeam: 'Taipans',
      drawStatus: 'active',
      ticketCount: 2,
      ticketPrice: '10.00',
      tickets: [
        { serialNumber: 'FD-1004-006', ticketNumber: 6 },
        { serialNumber: 'FD-1004-007', ticketNumber: 7 },
      ],
    },
  ],
  refund: null,
  refundable: true,
  whyNot: null,
  ...more,
});

export const TRANSACTION_SUMS: TransactionSums = {
  count: 25,
  listedMax: 5000,
  totalCharged: '334.18',
  stripeFees: '13.20',
  platformFees: '10.85',
  clubPayouts: '-310.13',
  refunded: '620.26',
  prizePools: '0.00',
  feesEstimated: true,
};

export function makeAdminDraws(nowMs: number): AdminDraw[] {
  const names = [
    ['Redcliffe Sharks', 'Wynnum Tigers'],
    ['Burleigh Bears', 'Souths Logan Magpies'],
    ['Norths Devils', 'Ipswich Jets'],
    ['Tweed Seagulls', 'Easts Tigers'],
    ['Mackay Cutters', 'Central Queensland Capras'],
    ['Training A', 'Training B'],
  ];
  const states = ['active', 'active', 'closed', 'completed', 'cancelled', 'active'];
  return names.map(([homeTeam = '', awayTeam = ''], n) => {
    const status = states[n] ?? 'active';
    const sold = [113, 41, 169, 88, 12, 3][n] ?? 0;
    return {
      ...makeDraw({
        id: 1042 + n,
        drawNumber: 1042 + n,
        serialNumber: `FD-${1042 + n}`,
        homeTeam,
        awayTeam,
        clubId: (n % 3) + 1,
        clubName: ['Redcliffe Sharks', 'Burleigh Bears', 'Wynnum Tigers'][n % 3] ?? '',
        league: n === 5 ? 'TEST Cup' : 'Queensland Cup',
        status,
        gameDate: new Date(nowMs + [3, 27, -1, -50, -80, 100][n]! * 60 * MINUTE_MS).toISOString(),
        ticketsSold: sold,
        ticketsAvailable: 169 - sold,
        ...(status === 'completed'
          ? {
              homeFirstTryScorer: 7,
              awayFirstTryScorer: 9,
              winningTicketSerial: 'FD-1045-061',
              winningTicketSold: true,
            }
          : {}),
      }),
      revenue: (sold * 5).toFixed(2),
      platformFee: Math.min(11, sold * 0.175).toFixed(2),
      orders: Math.ceil(sold / 2),
      isTest: n === 5,
      createdAt: minutesBefore(nowMs, 20_000),
      orphanedTickets: 0,
      winnersNotified: false,
      payoutStatus: status === 'completed' ? 'pending' : null,
    };
  });
}

export function makeAdminTickets(): AdminTicket[] {
  return Array.from({ length: 169 }, (_, n) => {
    const sold = n < 113;
    return {
      id: `FD-1042-${String(n + 1).padStart(3, '0')}`,
      ticketNumber: n + 1,
      serialNumber: `FD-1042-${String(n + 1).padStart(3, '0')}`,
      sold,
      buyerName: sold ? `Robin Buyer ${Math.floor(n / 2)}` : null,
      buyerEmail: sold ? `buyer${Math.floor(n / 2)}@example.com` : null,
      buyerPhone: sold ? '0400 000 000' : null,
      homeNumber: null,
      awayNumber: null,
      isWinner: null,
      ...(sold ? { purchaseDate: '2026-11-20T03:00:00Z' } : {}),
      ...(sold ? { orderId: `0b0c1a52-0d0e-4c8e-8a53-6f3f5c1d${String(n).padStart(4, '0')}` } : {}),
    };
  });
}

export function makeAdminClubs(): AdminClub[] {
  return ['Redcliffe Sharks', 'Burleigh Bears', 'Wynnum Tigers', 'Norths Devils'].map(
    (name, n) => ({
      id: n + 1,
      name,
      email: `${name.toLowerCase().replaceAll(' ', '-')}@demo.test`,
      phone: n === 3 ? null : `07 3000 10${n}0`,
      location: ['Redcliffe QLD', 'Burleigh Heads QLD', 'Wynnum QLD', null][n] ?? null,
      createdAt: '2026-08-02T01:00:00Z',
      stripeConnectOnboardingComplete: n < 3,
      stripeConnectAccountId: n < 3 ? `acct_1Qdemo000${n}` : null,
      totalDraws: 3,
      activeDraws: 1,
      completedDraws: 1,
      archived: false,
      archivedAt: null,
      homePageSlug: name.toLowerCase().replaceAll(' ', '-'),
      chargesEnabled: n < 3,
      detailsSubmitted: n < 3,
      payoutsEnabled: n < 3,
      walletDomain: n < 2 ? 'active' : n === 2 ? 'inactive' : null,
      walletDomainProblem: n === 2 ? 'Apple Pay: The domain could not be verified.' : null,
      ticketsSold: 113,
      revenue: '565.00',
    }),
  );
}

export const makeWaitlist = (nowMs: number): WaitlistEntry[] => [
  {
    id: 7,
    clubName: 'Toowoomba Clydesdales',
    contactName: 'Kim Porter',
    contactEmail: 'kim@clydesdales.example',
    contactPhone: '0400 111 222',
    createdAt: minutesBefore(nowMs, 3000),
  },
  {
    id: 8,
    clubName: 'Sunshine Coast Falcons',
    contactName: 'Alex Wu',
    contactEmail: 'alex@falcons.example',
    contactPhone: '0400 333 444',
    createdAt: minutesBefore(nowMs, 90),
  },
];

export const makeOrphanedTickets = (nowMs: number): OrphanedTicket[] => [
  {
    id: 'FD-1042-088',
    serialNumber: 'FD-1042-088',
    ticketNumber: 88,
    drawNumber: 1042,
    drawStatus: 'active',
    revealed: false,
    isWinner: null,
    homeTeam: 'Redcliffe Sharks',
    awayTeam: 'Wynnum Tigers',
    homeNumber: null,
    awayNumber: null,
    amount: '5.00',
    paymentIntentId: 'pi_3QorphanAA88Zz',
    purchaseDate: minutesBefore(nowMs, 44),
    orderId: 'c0c0',
    clubName: 'Redcliffe Sharks',
  },
];

export const makeSettings = (nowMs: number): SystemSetting[] => [
  {
    id: 1,
    key: 'maintenance_mode',
    value: 'false',
    description: null,
    updatedAt: minutesBefore(nowMs, 400),
    updatedBy: 'Super Admin',
  },
  {
    id: 2,
    key: 'club_registration_enabled',
    value: 'true',
    description: 'Show the registration tab on the club login page',
    updatedAt: minutesBefore(nowMs, 9000),
    updatedBy: 'Super Admin',
  },
];

export const FOOTER_MENUS: AdminFooterMenu[] = [
  {
    id: 1,
    heading: 'For clubs',
    displayOrder: 0,
    isVisible: true,
    items: [
      {
        id: 1,
        menuId: 1,
        label: 'Club Login',
        url: '/admin/login',
        displayOrder: 0,
        isVisible: true,
      },
      {
        id: 2,
        menuId: 1,
        label: 'Start Your First Draw',
        url: '/admin/login',
        displayOrder: 1,
        isVisible: true,
      },
    ],
  },
  {
    id: 2,
    heading: 'Help',
    displayOrder: 1,
    isVisible: true,
    items: [
      {
        id: 3,
        menuId: 2,
        label: 'How it works',
        url: '/#how-it-works',
        displayOrder: 0,
        isVisible: false,
      },
    ],
  },
];

/** All responses of a full console, by method and path. */
export function makeConsoleResponses(nowMs: number): Record<string, unknown> {
  const list = makeAnomalies(nowMs);
  return {
    'GET /api/admin/whoami': OPERATOR_WHOAMI,
    'GET /api/admin/payment-anomalies': list,
    'GET /api/admin/payment-anomalies/stats': {
      total: 41,
      unresolved: 3,
      resolved: 38,
      oldestUnresolvedAt: list[2]?.detectedAt,
    },
    'GET /api/admin/orphaned-tickets': makeOrphanedTickets(nowMs),
    'GET /api/stripe-debug': makeTransactions(nowMs),
    'GET /api/stripe-debug/sums': TRANSACTION_SUMS,
    [`GET /api/admin/orders/${makeTransactions(nowMs)[0]?.orderId}`]: makeOrderDetail(),
    'GET /api/admin/draws': makeAdminDraws(nowMs),
    'GET /api/draws/1042/tickets': makeAdminTickets(),
    'GET /api/admin/clubs': makeAdminClubs(),
    'GET /api/admin/clubs/archived': [],
    'GET /api/admin/waitlist': makeWaitlist(nowMs),
    'GET /api/maintenance-mode': { maintenanceMode: false },
    'GET /api/settings/club-registration': { enabled: true },
    'GET /api/admin/system-settings': makeSettings(nowMs),
    'GET /api/admin/system-settings/hide_test_draws': {
      id: 3,
      key: 'hide_test_draws',
      value: 'true',
      description: null,
      updatedAt: minutesBefore(nowMs, 10),
      updatedBy: 'Super Admin',
    },
    'GET /api/admin/footer-menus': FOOTER_MENUS,
    'GET /api/admin/in-flight': { reservations: 4, ticketsHeld: 9, paymentsInFlight: 2 },
    ...platformResponses(nowMs),
  };
}
