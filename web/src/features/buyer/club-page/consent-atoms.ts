import { atom } from 'jotai';
import { readStored, writeStored } from '@/shared/storage';
import { PUBLIC_TEXTS as S } from '@/shared/strings';

const booleanOrNull = (stored: unknown): boolean | null =>
  typeof stored === 'boolean' ? stored : null;

const marketingConsentBaseAtom = atom<boolean | null>(
  booleanOrNull(readStored('local', S.consentKey)),
);

/**
 * The visitor's consent to marketing pixels, for all clubs. Null until the visitor has answered.
 * Stored under `marketing_consent`.
 */
export const marketingConsentAtom = atom(
  (get) => get(marketingConsentBaseAtom),
  (_get, set, allowed: boolean) => {
    set(marketingConsentBaseAtom, allowed);
    writeStored('local', S.consentKey, allowed);
  },
);
