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

/** One payment of the last 30 days, from the server's own mirror (decision C-24). */
export interface StripeTransaction {
  paymentIntentId: string;
  status: string;
  createdAt: string;
  customerCharged: string;
  stripeFees: string;
  platformFee: string;
  clubPayout: string;
  ticketCount?: number | null;
  drawId?: number | null;
  lines?: { drawNumber: number }[];
  clubName?: string | null;
  customerName?: string | null;
  feesEstimated?: boolean;
}
