import { fetchDrawWidget } from '@/api/endpoints/public';
import { WidgetCard } from './widget-card';

/** The card of one draw, for another site's page. */
export function DrawWidget({ number }: { number: number }) {
  return <WidgetCard ask={() => fetchDrawWidget(number)} />;
}
