/** Draws a chart with uPlot into an element. The club's and the operator's charts share it. */
import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { useEffect, useRef, type RefObject } from 'react';

/** The colours of `--ink-2` and `--line`, because a canvas reads no CSS variables. */
export const AXIS_COLOUR = '#45534f';
export const GRID_COLOUR = '#d6d2c4';

export const CHART_AXIS: uPlot.Axis = {
  stroke: AXIS_COLOUR,
  font: '12px system-ui, sans-serif',
  grid: { show: false },
  ticks: { show: false },
};

/** The value axis: whole numbers or cents from zero, with grid lines. */
export const valueAxis = (text: (value: number) => string): uPlot.Axis => ({
  ...CHART_AXIS,
  size: 52,
  space: 34,
  incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000].concat([
    100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000,
  ]),
  grid: { show: true, stroke: GRID_COLOUR, width: 1 },
  values: (_chart, marks) => marks.map((mark) => text(mark)),
});

/** A value scale that starts at zero. */
export const VALUE_SCALE: uPlot.Scale = {
  range: (_chart, _min, max) => [0, Math.max(4, Math.ceil(max * 1.1))],
};

interface Chart {
  heightPx: number;
  data: uPlot.AlignedData;
  options: () => Omit<uPlot.Options, 'width' | 'height'>;
  /** The chart is made anew when this changes, and otherwise only gets new data. */
  optionsKey: string;
}

/** Returns the reference of the element that shows the chart, as wide as the element. */
export function useChart({
  heightPx,
  data,
  options,
  optionsKey,
}: Chart): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  useEffect(() => {
    const place = box.current;
    if (!place || typeof place.getBoundingClientRect !== 'function' || !('Path2D' in window))
      return;
    const width = () => Math.max(80, Math.floor(place.clientWidth));
    const made = new uPlot({ ...options(), width: width(), height: heightPx }, data, place);
    chart.current = made;
    const watch = new ResizeObserver(() => made.setSize({ width: width(), height: heightPx }));
    watch.observe(place);
    return () => {
      watch.disconnect();
      made.destroy();
      chart.current = null;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- one chart for as long as it is shown; its data follow below
  }, [optionsKey, heightPx]);
  useEffect(() => {
    chart.current?.setData(data);
  }, [data]);
  return box;
}
