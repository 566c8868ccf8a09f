import uPlot from 'uplot';
import { useMemo, useRef } from 'react';
import { CHART_AXIS, VALUE_SCALE, useChart, valueAxis } from '@/features/shared-chart/use-chart';

export interface TrendChartProps {
  title: string;
  /** The sum of the shown time. */
  note: string;
  /** Description of the chart for screen readers. */
  label: string;
  at: readonly number[];
  values: readonly number[];
  kind: 'line' | 'bars';
  format: (value: number) => string;
  axisFormat: (value: number) => string;
  colour: string;
}

const CHART_HEIGHT_PX = 150;
const TICK_LABELS_MIN_PX = 110;
const timeOfDayFormat = new Intl.DateTimeFormat('en-AU', {
  timeZone: 'Australia/Brisbane',
  hour: 'numeric',
  minute: '2-digit',
});
const hourFormat = new Intl.DateTimeFormat('en-AU', {
  timeZone: 'Australia/Brisbane',
  hour: 'numeric',
});

/** A chart of the last day with a time axis and a value axis. The cursor shows single values. */
export function TrendChart({
  title,
  note,
  label,
  at,
  values,
  kind,
  format,
  axisFormat,
  colour,
}: TrendChartProps) {
  const read = useRef<HTMLSpanElement>(null);
  const data = useMemo((): uPlot.AlignedData => [[...at], [...values]], [at, values]);
  const options = () => {
    const bars = uPlot.paths.bars?.({ size: [0.7, 12] });
    return {
      legend: { show: false },
      axes: [
        {
          ...CHART_AXIS,
          size: 26,
          space: TICK_LABELS_MIN_PX,
          values: (_chart: uPlot, seconds: number[]) =>
            seconds.map((second) => hourFormat.format(second * 1000)),
        },
        valueAxis(axisFormat),
      ],
      padding: [8, 8, 0, 0] as uPlot.Padding,
      scales: { y: VALUE_SCALE },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
      series: [
        {},
        kind === 'bars' && bars
          ? { stroke: colour, fill: colour, width: 0, paths: bars, points: { show: false } }
          : { stroke: colour, width: 2, fill: `${colour}1f`, points: { show: false } },
      ],
      hooks: {
        setCursor: [
          (shown: uPlot) => {
            const index = shown.cursor.idx;
            const second = index === null || index === undefined ? undefined : shown.data[0][index];
            const amount =
              index === null || index === undefined ? undefined : shown.data[1]?.[index];
            if (read.current)
              read.current.textContent =
                second === undefined || amount === undefined || amount === null
                  ? ''
                  : `${timeOfDayFormat.format(second * 1000)}: ${format(amount)}`;
          },
        ],
      },
    };
  };
  const box = useChart({ heightPx: CHART_HEIGHT_PX, data, options, optionsKey: colour });
  return (
    <figure className="card ops-chart">
      <figcaption>
        <strong>{title}</strong>
        <span>{note}</span>
      </figcaption>
      <div ref={box} role="img" aria-label={label} />
      <span ref={read} className="ops-chart-read" aria-hidden="true" />
    </figure>
  );
}
