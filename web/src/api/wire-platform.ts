/** Wire types of the console's platform sections: money, health, configuration and audit. */
import type { AuditEntry as Entry, AuditTrail } from './generated/schema';

export type {
  Analytics,
  Configuration,
  ConsoleHealth as Health,
  DrawFees as FeeDraw,
  FeeReading,
  OpsNow as OpsNews,
  PlatformFees,
  SearchHit,
  Series,
} from './generated/schema';

/** The fields of `detail` depend on the audited action. */
export type AuditEntry = Omit<Entry, 'detail'> & { detail: Record<string, unknown> };
export type AuditPage = Omit<AuditTrail, 'entries'> & { entries: AuditEntry[] };
