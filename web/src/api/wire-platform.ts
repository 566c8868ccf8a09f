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

/** `detail` is typed as any object, because the generated type of its fields is `never`. */
export type AuditEntry = Omit<Entry, 'detail'> & { detail: Record<string, unknown> };
export type AuditPage = Omit<AuditTrail, 'entries'> & { entries: AuditEntry[] };
