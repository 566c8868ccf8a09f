import '@/features/shared-grid/grid.css';
import '@/features/board/board.css';
import '@/features/board/board-templates.css';
import { useAtomValue } from 'jotai';
import { Suspense, lazy } from 'react';
import { fetchOfferWidget } from '@/api/endpoints/public';
import type { PageProps } from '@/app/page-props';
import { BoardFrame, BoardHead, LoadingBoard, MissingBoard } from '@/features/board/board-frame';
import { boardTone, parseBoardOptions } from '@/features/board/board-options';
import { FittedText } from '@/features/board/fitted-text';
import { OfferBoardContent, offerShortPath } from '@/features/board/offer-board-content';
import { useBoardOffer } from '@/features/board/use-board-offer';
import { useSales } from '@/features/board/use-sales';
import { useWidget } from '@/features/board/use-widget';
import { pageBootDataAtom } from '@/features/shared-live/boot-atoms';
import { liveStateAtom } from '@/features/shared-live/live-atoms';
import { gameDrawNumber, shortDisplayTag } from '@/features/shared-offer/offer-facts';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';

const OfferWidget = lazy(() =>
  import('@/features/board/offer-widget').then((module) => ({ default: module.OfferWidget })),
);

/** The board of one offer, which is a bundle or a special. */
export function Page({ params }: PageProps) {
  const address = { club: params.slug ?? '', slug: params.bundle ?? '' };
  if (parseBoardOptions(window.location.search).widget)
    return (
      <Suspense>
        <OfferWidget {...address} />
      </Suspense>
    );
  return <OfferBoard address={address} />;
}

function OfferBoard({ address }: { address: { club: string; slug: string } }) {
  const { widget, missing } = useWidget(
    () => fetchOfferWidget(address.club, address.slug),
    useAtomValue(pageBootDataAtom).widget ?? null,
  );
  const offer = useBoardOffer(address.club, address.slug);
  const options = parseBoardOptions(window.location.search);
  const { justSold } = useSales(widget?.ticketsSold ?? 0);
  usePageTitle(widget?.title ?? (missing ? S.offerNotFound : S.brand));
  const draws = useAtomValue(liveStateAtom).draws;
  // An offer carries no club colours; the draws of its games do.
  const draw = offer?.games.map((game) => draws[gameDrawNumber(game)]).find(Boolean);
  if (!widget) return missing ? <MissingBoard title={S.offerNotFound} /> : <LoadingBoard />;
  return (
    <BoardFrame
      kind="offer"
      tone={boardTone(options)}
      club={draw && { primaryColor: draw.clubPrimaryColor, accentColor: draw.clubAccentColor }}
      head={
        <BoardHead
          club={{ name: offer?.clubName ?? widget.title, logoUrl: draw?.clubLogoUrl ?? null }}
          title={<FittedText as="h1" className="board-title" text={widget.title} />}
          optionalFact={offer && shortDisplayTag(offer)}
          fact={offer?.clubName ?? S.brand}
        />
      }
      justSold={justSold}
      sound={options.sound}
      address={offerShortPath(address)}
      clubId={draw?.clubId}
    >
      <OfferBoardContent widget={widget} offer={offer} address={address} options={options} />
    </BoardFrame>
  );
}
