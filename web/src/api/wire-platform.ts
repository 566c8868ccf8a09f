/** The platform as a whole, as the operator's console hears it: money, health, configuration, and who did what. */
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

/** What was changed differs with what was done. */
export type AuditEntry = Omit<Entry, 'detail'> & { detail: Record<string, unknown> };
export type AuditPage = Omit<AuditTrail, 'entries'> & { entries: AuditEntry[] };
