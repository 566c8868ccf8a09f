import { atom } from 'jotai';
import { readStored, writeStored } from '@/shared/storage';
import { S } from '@/shared/strings';

const booleanOrNull = (stored: unknown): boolean | null =>
  typeof stored === 'boolean' ? stored : null;

const storedConsentAtom = atom<boolean | null>(booleanOrNull(readStored('local', S.consentKey)));

/**
 * The visitor's consent to marketing pixels, for all clubs. Null until the visitor has answered.
 * Stored under `marketing_consent`.
 */
export const consentAtom = atom(
  (get) => get(storedConsentAtom),
  (_get, set, allowed: boolean) => {
    set(storedConsentAtom, allowed);
    writeStored('local', S.consentKey, allowed);
  },
);
