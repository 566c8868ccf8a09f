/**
 * Response types of the two payment pages. A club receives its own payments, the operator receives
 * all (decision G-2).
 */
export type {
  FailedPayment,
  IntegrityAudit,
  ProviderTransaction as StripeTransaction,
  TransactionSums,
} from './generated/schema';
