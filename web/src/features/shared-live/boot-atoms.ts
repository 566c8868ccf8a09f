import { atom } from 'jotai';
import type { BootData } from '@/api/wire';
import type { ClubPageMetadata, Offer, WidgetResponse } from '@/api/wire-public';

/** Data that only some pages carry in addition to the common data. */
export type PageBootData = BootData & {
  offers?: Offer[];
  offer?: Offer | null;
  clubMeta?: ClubPageMetadata | null;
  widget?: WidgetResponse | null;
};

/**
 * The data that the server embedded in the first page. Pages opened later request their own data.
 */
export const pageBootDataAtom = atom<PageBootData>({});
