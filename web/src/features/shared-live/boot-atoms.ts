import { atom } from 'jotai';
import type { Boot } from '@/api/wire';

/** What the page carried when it arrived; screens other than the first ask for their own data. */
export const bootAtom = atom<Boot>({});
