/**
 * Responses of the two payment pages. A club reads its own rows, the operator all rows (decision
 * G-2).
 */
export type {
  FailedPayment,
  IntegrityAudit,
  ProviderTransaction as StripeTransaction,
  TransactionSums,
} from './generated/schema';
