/** What the two payment pages are answered (decision G-2: a club its own rows, the operator all). */

export interface FailedPayment {
  paymentIntentId: string;
  /** Cents. */
  amount: number;
  /** Seconds since 1970. */
  created: number;
  status: string;
  metadata: { drawId?: string | number | null; ticketCount?: string | number | null; paymentMethod?: string | null } | null;
}

export interface IntegrityAudit {
  failedPayments: FailedPayment[];
  /** Cents. */
  totalFailedAmount: number;
  affectedCustomers: number;
}

export interface StripeTransaction {
  paymentIntentId: string;
  /** Cents, all four. */
  amount: number;
  stripeFee: number;
  platformFee: number;
  clubPayout: number;
  /** Seconds since 1970. */
  created: number;
  status: string;
  clubName?: string | null;
  customerName?: string | null;
  customerEmail?: string | null;
  drawNumbers?: number[];
  ticketCount?: number | null;
  paymentMethod?: string | null;
}

export interface StripeDebug {
  transactions: StripeTransaction[];
  summary: { totalCharged: string; stripeFees: string; platformFees: string; clubPayouts: string; prizePools: string; count: number };
  feesEstimated?: boolean;
}
