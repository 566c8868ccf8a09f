import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { useEffect, useRef } from 'react';

interface TrendChartProps {
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
/** The colours of `--ink-2` and `--line`, because a canvas reads no CSS variables. */
const AXIS_COLOUR = '#45534f';
const GRID_COLOUR = '#d6d2c4';
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
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const read = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const place = box.current;
    if (!place || typeof place.getBoundingClientRect !== 'function' || !('Path2D' in window))
      return;
    const width = () => Math.max(80, Math.floor(place.clientWidth));
    const axis: uPlot.Axis = {
      stroke: AXIS_COLOUR,
      font: '12px system-ui, sans-serif',
      grid: { show: false },
      ticks: { show: false },
    };
    const bars = uPlot.paths.bars?.({ size: [0.7, 12] });
    const made = new uPlot(
      {
        width: width(),
        height: CHART_HEIGHT_PX,
        legend: { show: false },
        axes: [
          {
            ...axis,
            size: 26,
            space: TICK_LABELS_MIN_PX,
            values: (_chart, seconds) => seconds.map((second) => hourFormat.format(second * 1000)),
          },
          {
            ...axis,
            size: 52,
            space: 34,
            incrs: [
              1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000,
            ].concat([100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000]),
            grid: { show: true, stroke: GRID_COLOUR, width: 1 },
            values: (_chart, marks) => marks.map((mark) => axisFormat(mark)),
          },
        ],
        padding: [8, 8, 0, 0],
        scales: { y: { range: (_chart, _min, max) => [0, Math.max(4, Math.ceil(max * 1.1))] } },
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
        series: [
          {},
          kind === 'bars' && bars
            ? { stroke: colour, fill: colour, width: 0, paths: bars, points: { show: false } }
            : { stroke: colour, width: 2, fill: `${colour}1f`, points: { show: false } },
        ],
        hooks: {
          setCursor: [
            (shown) => {
              const index = shown.cursor.idx;
              const second =
                index === null || index === undefined ? undefined : shown.data[0][index];
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
      },
      [[], []],
      place,
    );
    chart.current = made;
    const watch = new ResizeObserver(() =>
      made.setSize({ width: width(), height: CHART_HEIGHT_PX }),
    );
    watch.observe(place);
    return () => {
      watch.disconnect();
      made.destroy();
      chart.current = null;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- one chart for as long as it is shown; its data follow below
  }, [colour]);
  useEffect(() => {
    chart.current?.setData([[...at], [...values]]);
  }, [at, values, colour]);
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
