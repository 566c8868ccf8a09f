import { atom } from 'jotai';
import type { Boot } from '@/api/wire';
import type { ClubMeta, Offer, WidgetResponse } from '@/api/wire-public';

/** Data that only some pages carry in addition to the common data. */
export type PageBoot = Boot & {
  offers?: Offer[];
  offer?: Offer | null;
  clubMeta?: ClubMeta | null;
  widget?: WidgetResponse | null;
};

/** The data embedded in the first page. Later screens request their own data. */
export const bootAtom = atom<PageBoot>({});
