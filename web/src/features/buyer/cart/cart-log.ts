/**
 * A log of cart changes in this browser session, for the debug console. It contains no personal
 * data (decision A-12).
 */
import { readStored, writeStored } from '@/shared/storage';

const KEY = 'fd_cart_log';
const LINES_MAX = 50;

export interface LogLine {
  at: string;
  what: string;
}

export function readLog(): readonly LogLine[] {
  const kept = readStored('session', KEY);
  return Array.isArray(kept)
    ? (kept as LogLine[]).filter((line) => typeof line?.what === 'string')
    : [];
}

export function logCart(what: string): void {
  writeStored(
    'session',
    KEY,
    [...readLog(), { at: new Date().toISOString(), what }].slice(-LINES_MAX),
  );
}
