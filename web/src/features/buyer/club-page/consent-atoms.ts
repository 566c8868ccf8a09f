import { atom } from 'jotai';
import { readStored, writeStored } from '@/shared/storage';
import { S } from '@/shared/strings';

const read = (stored: unknown): boolean | null => (typeof stored === 'boolean' ? stored : null);

const keptAtom = atom<boolean | null>(read(readStored('local', S.consentKey)));

/**
 * The visitor's consent to marketing pixels, for all clubs. Null until the visitor has answered.
 * Stored under `marketing_consent`.
 */
export const consentAtom = atom(
  (get) => get(keptAtom),
  (_get, set, allowed: boolean) => {
    set(keptAtom, allowed);
    writeStored('local', S.consentKey, allowed);
  },
);
