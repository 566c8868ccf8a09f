import { atom } from 'jotai';
import type { Boot } from '@/api/wire';
import type { ClubMeta, Offer, WidgetAnswer } from '@/api/wire-public';

/** What some pages carry beside what all do. */
export type PageBoot = Boot & {
  offers?: Offer[];
  offer?: Offer | null;
  clubMeta?: ClubMeta | null;
  widget?: WidgetAnswer | null;
};

/** What the page carried when it arrived; screens other than the first ask for their own data. */
export const bootAtom = atom<PageBoot>({});
