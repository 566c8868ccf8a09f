import './sales-chart.css';
import uPlot from 'uplot';
import { useMemo } from 'react';
import type { DrawSales } from '@/api/wire-club';
import {
  AXIS_COLOUR,
  CHART_AXIS,
  VALUE_SCALE,
  useChart,
  valueAxis,
} from '@/features/shared-chart/use-chart';
import {
  salesRowsOf,
  salesSeriesOf,
  salesSummaryOf,
  soldLastDay,
  timeBeforeText,
} from './sales-series';

const CHART_HEIGHT_PX = 190;
const LABEL_HEIGHT_PX = 16;
/** The colour of `--brand`, because a canvas reads no CSS variables. */
const OWN_COLOUR = '#0b5d4b';
/** Distances of the time axis' labels in minutes. */
const TIME_STEPS = [15, 60, 180, 360, 720, 1440, 2880, 5760, 10_080, 20_160, 40_320];

/** Writes the name of each line above the line's end. */
function drawLineNames(chart: uPlot): void {
  const ratio = devicePixelRatio;
  let taken: number | null = null;
  chart.ctx.save();
  chart.ctx.font = `${12 * ratio}px system-ui, sans-serif`;
  chart.ctx.textBaseline = 'bottom';
  for (const [index, name, colour] of [
    [1, 'This game', OWN_COLOUR],
    [2, 'Last game', AXIS_COLOUR],
  ] as const) {
    const values = chart.data[index];
    const at = values?.findLastIndex((value) => value !== null && value !== undefined) ?? -1;
    const value = values?.[at];
    const time = chart.data[0][at];
    if (value === null || value === undefined || time === undefined) continue;
    const x = chart.valToPos(time, 'x', true);
    let y = chart.valToPos(value, 'y', true) - 4 * ratio;
    const height = LABEL_HEIGHT_PX * ratio;
    if (taken !== null && Math.abs(taken - y) < height) y = taken + height;
    taken = y;
    const isLeft = x - chart.bbox.left < 70 * ratio;
    chart.ctx.textAlign = isLeft ? 'left' : 'right';
    // The white ground keeps grid lines out of the words.
    const width = chart.ctx.measureText(name).width;
    chart.ctx.fillStyle = '#fff';
    chart.ctx.fillRect(isLeft ? x : x - width, y - 13 * ratio, width, 13 * ratio);
    chart.ctx.fillStyle = colour;
    chart.ctx.fillText(name, x, y);
  }
  chart.ctx.restore();
}

const chartOptions = (): Omit<uPlot.Options, 'width' | 'height'> => {
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  return {
    legend: { show: false },
    axes: [
      {
        ...CHART_AXIS,
        size: 26,
        space: 64,
        incrs: TIME_STEPS,
        values: (_chart, marks) => marks.map((mark) => timeBeforeText(-mark)),
      },
      valueAxis(String),
    ],
    padding: [16, 22, 0, 0],
    scales: { x: { time: false }, y: VALUE_SCALE },
    cursor: { show: false },
    series: [
      {},
      { stroke: OWN_COLOUR, width: 2.5, paths: stepped, points: { show: false } },
      { stroke: AXIS_COLOUR, width: 1.5, dash: [5, 4], paths: stepped, points: { show: false } },
    ],
    hooks: { draw: [drawLineNames] },
  };
};

/**
 * The tickets sold over time, with the last game as a dashed line. The sentence and the table say
 * the same without the picture.
 */
export function SalesChart({ sales, minutesNow }: { sales: DrawSales; minutesNow: number }) {
  const data = useMemo((): uPlot.AlignedData => {
    const { at, sold, lastSold } = salesSeriesOf(sales, minutesNow);
    return [at, sold, lastSold];
  }, [sales, minutesNow]);
  const box = useChart({
    heightPx: CHART_HEIGHT_PX,
    data,
    options: chartOptions,
    optionsKey: 'sales',
  });
  const rows = salesRowsOf(sales, minutesNow);
  const lastDay = soldLastDay(sales, minutesNow);
  const summary = salesSummaryOf(sales, minutesNow);
  if (rows.length === 0) return <p className="meta">No ticket is sold yet.</p>;
  return (
    <>
      <p>{summary}</p>
      {lastDay === null ? null : (
        <p className="meta">{lastDay === 0 ? 'None' : lastDay} of them in the last 24 hours.</p>
      )}
      <div
        ref={box}
        className="sales-chart"
        role="img"
        aria-label={`Tickets sold over time. ${summary}`}
      />
      <details className="sales-table">
        <summary>Sales as a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Before kick-off</th>
              <th scope="col" className="num">
                This game
              </th>
              {sales.last ? (
                <th scope="col" className="num">
                  Last game
                </th>
              ) : null}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ text, sold, lastSold }) => (
              <tr key={text}>
                <th scope="row">{text}</th>
                <td className="num">{sold ?? 'not yet'}</td>
                {sales.last ? <td className="num">{lastSold}</td> : null}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}
