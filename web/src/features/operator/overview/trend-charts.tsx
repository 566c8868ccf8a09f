import { Suspense, lazy, type ReactNode } from 'react';
import { formatDollars } from '@/shared/money';
import { useQuery } from '../queries/use-query';
import type { TrendChartProps } from './trend-chart';

/** Loaded with the section, so that the login does not wait for it. */
const TrendChart = lazy<(props: TrendChartProps) => ReactNode>(() =>
  import('./trend-chart').then(
    (part) => ({ default: part.TrendChart }),
    () => ({ default: ChartFrame }),
  ),
);

/** The chart without its curve, while its code loads or if it cannot be loaded. */
const ChartFrame = ({ title, note }: Pick<TrendChartProps, 'title' | 'note'>) => (
  <figure className="card ops-chart">
    <figcaption>
      <strong>{title}</strong>
      <span>{note}</span>
    </figcaption>
    <div />
    <span className="ops-chart-read" />
  </figure>
);

const EMPTY_SERIES = { at: [], ticketsSold: [], payments: [], revenueCents: [], anomalies: [] };

const sumOfValues = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const wholeNumberText = (value: number) => String(value);
const wholeDollarsText = (cents: number) =>
  formatDollars(Math.round(cents / 100) * 100).replace(/\.00$/, '');

/** Adds each value to the sum of those before it. */
export const runningSums = (values: readonly number[]): number[] => {
  let sum = 0;
  return values.map((value) => (sum += value));
};

/** Charts of the last 24 hours, each with axes. */
export function TrendCharts() {
  const { data: series, error } = useQuery('series');
  if (series ? series.at.length === 0 : error) return null;
  const { at, ticketsSold, payments, revenueCents, anomalies } = series ?? EMPTY_SERIES;
  const minutes = series ? series.stepSeconds / 60 : 0;
  const charts = [
    {
      title: 'Tickets sold',
      values: ticketsSold,
      format: wholeNumberText,
      axis: wholeNumberText,
      colour: '#0b5d4b',
      adds: false,
    },
    {
      title: 'Revenue',
      values: revenueCents,
      format: formatDollars,
      axis: wholeDollarsText,
      colour: '#8a5a00',
      adds: true,
    },
    {
      title: 'Payments',
      values: payments,
      format: wholeNumberText,
      axis: wholeNumberText,
      colour: '#1d5fd1',
      adds: false,
    },
    {
      title: 'Anomalies',
      values: anomalies,
      format: wholeNumberText,
      axis: wholeNumberText,
      colour: '#a84300',
      adds: false,
    },
  ];
  return (
    <div className="ops-charts">
      {charts.map(({ title, values, format, axis, colour, adds }) => {
        const sum = format(sumOfValues(values));
        const note = !series
          ? 'loading'
          : adds
            ? `adds up to ${sum} in 24 h`
            : `per ${minutes} min, ${sum} in 24 h`;
        return (
          <Suspense key={title} fallback={<ChartFrame title={title} note={note} />}>
            <TrendChart
              title={title}
              note={note}
              label={
                !series
                  ? `${title}: loading`
                  : `${title}: ${sum} in all, at most ${format(Math.max(0, ...values))} in ${minutes} minutes`
              }
              at={at}
              values={adds ? runningSums(values) : values}
              kind={adds ? 'line' : 'bars'}
              format={format}
              axisFormat={axis}
              colour={colour}
            />
          </Suspense>
        );
      })}
    </div>
  );
}
