import { atom } from 'jotai';
import { readStored, writeStored } from '@/shared/storage';
import { S } from '@/shared/strings';

export type Consent = 'granted' | 'denied';

const read = (stored: unknown): Consent | null => (stored === 'granted' || stored === 'denied' ? stored : null);

const keptAtom = atom<Consent | null>(read(readStored('local', S.consentKey)));

/** What the visitor said about marketing pixels, once for all clubs; null until asked. Kept under `marketing_consent`. */
export const consentAtom = atom(
  (get) => get(keptAtom),
  (_get, set, consent: Consent) => {
    set(keptAtom, consent);
    writeStored('local', S.consentKey, consent);
  },
);
