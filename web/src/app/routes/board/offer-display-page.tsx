import '@/features/shared-grid/grid.css';
import '@/features/board/board.css';
import { useAtomValue } from 'jotai';
import { fetchOfferWidget } from '@/api/endpoints/public';
import type { PageProps } from '@/app/page-props';
import { BoardFrame } from '@/features/board/board-frame';
import { parseBoardOptions } from '@/features/board/board-options';
import { OfferBoardContent } from '@/features/board/offer-board-content';
import { useBoardOffer } from '@/features/board/use-board-offer';
import { useWidget } from '@/features/board/use-widget';
import { WidgetCard } from '@/features/board/widget-card';
import { pageBootDataAtom } from '@/features/shared-live/boot-atoms';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';

/** The board of one offer, which is a bundle or a special. */
export function Page({ params }: PageProps) {
  const address = { club: params.slug ?? '', slug: params.bundle ?? '' };
  if (parseBoardOptions(window.location.search).widget)
    return <WidgetCard ask={() => fetchOfferWidget(address.club, address.slug)} />;
  return <OfferBoard address={address} />;
}

function OfferBoard({ address }: { address: { club: string; slug: string } }) {
  const { widget, missing } = useWidget(
    () => fetchOfferWidget(address.club, address.slug),
    useAtomValue(pageBootDataAtom).widget ?? null,
  );
  const offer = useBoardOffer(address.club, address.slug);
  const options = parseBoardOptions(window.location.search);
  usePageTitle(widget?.title ?? (missing ? S.offerNotFound : S.brand));
  if (!widget)
    return (
      <BoardFrame tone="is-compact" note="">
        <h1 className={missing ? undefined : 'sr'}>{missing ? S.offerNotFound : S.brand}</h1>
      </BoardFrame>
    );
  return (
    <BoardFrame
      tone={options.compact ? 'is-compact' : 'is-offer'}
      note={offer?.clubName ?? 'One ticket in each game'}
    >
      <OfferBoardContent widget={widget} offer={offer} address={address} options={options} />
    </BoardFrame>
  );
}
