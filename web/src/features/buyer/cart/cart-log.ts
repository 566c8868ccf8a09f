/**
 * A log of cart changes in this browser session, for the debug console. The log contains no
 * personal data (decision A-12).
 */
import { readStored, writeStored } from '@/shared/storage';

const LOG_STORAGE_KEY = 'fd_cart_log';
const LOG_LINES_MAX = 50;

export interface LogLine {
  at: string;
  event: string;
}

export function readLog(): readonly LogLine[] {
  const stored = readStored('session', LOG_STORAGE_KEY);
  return Array.isArray(stored)
    ? (stored as LogLine[]).filter((line) => typeof line?.event === 'string')
    : [];
}

export function logCart(event: string): void {
  writeStored(
    'session',
    LOG_STORAGE_KEY,
    [...readLog(), { at: new Date().toISOString(), what: event }].slice(-LOG_LINES_MAX),
  );
}
