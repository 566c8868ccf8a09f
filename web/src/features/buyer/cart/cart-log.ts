/**
 * A log of cart changes in this browser session, for the debug console. The log contains no
 * personal data (decision A-12).
 */
import { readStored, writeStored } from '@/shared/storage';

const CART_LOG_STORAGE_KEY = 'fd_cart_log';
const CART_LOG_LINES_MAX = 50;

export interface CartLogLine {
  at: string;
  /** Stored under this name. A renamed field loses the lines that a deployed version stored. */
  what: string;
}

export function readCartLog(): readonly CartLogLine[] {
  const stored = readStored('session', CART_LOG_STORAGE_KEY);
  return Array.isArray(stored)
    ? (stored as CartLogLine[]).filter((line) => typeof line?.what === 'string')
    : [];
}

export function logCartEvent(event: string): void {
  writeStored(
    'session',
    CART_LOG_STORAGE_KEY,
    [...readCartLog(), { at: new Date().toISOString(), what: event }].slice(-CART_LOG_LINES_MAX),
  );
}
