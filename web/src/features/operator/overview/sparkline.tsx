import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { useEffect, useRef } from 'react';

interface SparklineProps {
  title: string;
  /** Description of the chart for screen readers. */
  label: string;
  value: string;
  at: readonly number[];
  values: readonly number[];
  format: (value: number) => string;
  colour: string;
}

const CHART_HEIGHT_PX = 64;
const timeOfDayFormat = new Intl.DateTimeFormat('en-AU', {
  timeZone: 'Australia/Brisbane',
  hour: 'numeric',
  minute: '2-digit',
});

/** Small line chart of the last day. Moving the cursor over the line shows single values. */
export function Sparkline({ title, label, value, at, values, format, colour }: SparklineProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const read = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const place = box.current;
    if (!place || typeof place.getBoundingClientRect !== 'function' || !('Path2D' in window))
      return;
    const width = () => Math.max(80, Math.floor(place.clientWidth));
    const made = new uPlot(
      {
        width: width(),
        height: CHART_HEIGHT_PX,
        legend: { show: false },
        axes: [{ show: false }, { show: false }],
        padding: [4, 0, 4, 0],
        scales: { y: { range: (_chart, _min, max) => [0, Math.max(1, max)] } },
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
        series: [{}, { stroke: colour, width: 2, fill: `${colour}1f`, points: { show: false } }],
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
    <figure className="card ops-spark">
      <figcaption>
        <span>{title}</span>
        <strong className="num">{value}</strong>
      </figcaption>
      <div ref={box} role="img" aria-label={label} />
      <span ref={read} className="ops-spark-read" aria-hidden="true" />
    </figure>
  );
}
