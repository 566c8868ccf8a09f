import { fetchOfferWidget } from '@/api/endpoints/public';
import { WidgetCard } from './widget-card';

/** The card of one offer, for another site's page. */
export function OfferWidget({ club, slug }: { club: string; slug: string }) {
  return <WidgetCard ask={() => fetchOfferWidget(club, slug)} />;
}
