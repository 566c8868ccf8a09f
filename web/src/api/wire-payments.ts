/** What the two payment pages are answered (decision G-2: a club its own rows, the operator all). */
export type {
  FailedPayment,
  IntegrityAudit,
  ProviderTransaction as StripeTransaction,
  TransactionSums,
} from './generated/schema';
