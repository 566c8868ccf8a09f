import { useAtomValue } from 'jotai';
import { Fragment, useState } from 'react';
import type { Draw } from '@/api/wire';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { decimalToCents, formatDollars } from '@/shared/money';
import { Field } from '@/shared/ui/field';
import { ActionsMenu } from '../frame/actions-menu';
import { drawMenuItems, type DrawItemProps } from './draw-item';
import {
  drawBadgesOf,
  drawListNameOf,
  prizeText,
  grossSalesText,
  teamsText,
  gameTimeText,
} from './draw-labels';
import { WinnersPanel } from './winners-panel';

const DRAW_TABLE_COLUMNS = [
  { key: 'game', label: 'Game', number: false, of: (draw: Draw) => teamsText(draw) },
  { key: 'when', label: 'When', number: false, of: (draw: Draw) => Date.parse(draw.gameDate) },
  { key: 'sold', label: 'Sold', number: true, of: (draw: Draw) => draw.ticketsSold },
  {
    key: 'sales',
    label: 'Sales',
    number: true,
    of: (draw: Draw) => draw.ticketsSold * decimalToCents(draw.ticketPrice),
  },
  {
    key: 'prize',
    label: 'Prize',
    number: true,
    of: (draw: Draw) => (draw.status === 'cancelled' ? 0 : decimalToCents(draw.currentPrize)),
  },
] as const;

type DrawSortOrder = { key: (typeof DRAW_TABLE_COLUMNS)[number]['key']; down: boolean };

/** Filters the draws by team, league or serial number. */
export function filteredDraws(draws: readonly Draw[], search: string): Draw[] {
  const query = search.trim().toLowerCase();
  return draws.filter((draw) =>
    `${teamsText(draw)} ${draw.league ?? ''} ${draw.serialNumber}`.toLowerCase().includes(query),
  );
}

/** Filters the draws and sorts them. */
export function filteredAndSortedDraws(
  draws: readonly Draw[],
  search: string,
  sort: DrawSortOrder,
): Draw[] {
  const column = DRAW_TABLE_COLUMNS.find(({ key }) => key === sort.key) ?? DRAW_TABLE_COLUMNS[1];
  return filteredDraws(draws, search).sort((one, other) => {
    const [a, b] = [column.of(one), column.of(other)];
    const order = typeof a === 'string' ? a.localeCompare(String(b)) : a - Number(b);
    return sort.down ? -order : order;
  });
}

/** Returns the sums of the shown draws. A cancelled draw has neither sales nor a prize. */
export function drawTotalsOf(draws: readonly Draw[]) {
  const held = draws.filter(({ status }) => status !== 'cancelled');
  const sum = (key: 'sold' | 'sales' | 'prize') => {
    const column = DRAW_TABLE_COLUMNS.find((one) => one.key === key);
    return held.reduce((total, draw) => total + Number(column?.of(draw) ?? 0), 0);
  };
  return { sold: sum('sold'), salesCents: sum('sales'), prizeCents: sum('prize') };
}

interface DrawTableProps {
  draws: readonly Draw[];
  propsOf: (draw: Draw) => DrawItemProps;
}

/** Table of all draws for wide screens, with column sorting and a text filter. */
export function DrawTable({ draws, propsOf }: DrawTableProps) {
  const [search, setWord] = useState('');
  const [sort, setSort] = useState<DrawSortOrder>({ key: 'when', down: true });
  const now = useAtomValue(nowAtom);
  const rows = filteredAndSortedDraws(draws, search, sort);
  const totals = drawTotalsOf(rows);
  return (
    <section className="card" aria-labelledby="table-title">
      <h2 id="table-title">All draws</h2>
      <Field id="draw-filter" label="Find" type="search" value={search} onValue={setWord} />
      <table>
        <thead>
          <tr>
            {DRAW_TABLE_COLUMNS.map(({ key, label, number }) => (
              <th
                key={key}
                scope="col"
                className={number ? 'num' : undefined}
                aria-sort={sort.key === key ? (sort.down ? 'descending' : 'ascending') : undefined}
              >
                <button
                  type="button"
                  className="sort"
                  onClick={() => setSort({ key, down: sort.key === key ? !sort.down : number })}
                >
                  {label}
                  {sort.key === key ? (
                    <span aria-hidden="true">{sort.down ? ' ↓' : ' ↑'}</span>
                  ) : null}
                </button>
              </th>
            ))}
            <th scope="col">Status</th>
            <th scope="col">
              <span className="sr">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((draw) => (
            <Fragment key={draw.drawNumber}>
              <tr>
                <th scope="row">
                  {teamsText(draw)}
                  {draw.league ? <span className="meta">{draw.league}</span> : null}
                </th>
                <td>{gameTimeText(draw)}</td>
                <td className="num">
                  {draw.ticketsSold}/{TICKETS_PER_DRAW}
                </td>
                <td className="num">{grossSalesText(draw)}</td>
                <td className="num">{prizeText(draw)}</td>
                <td>
                  <span className="badges">
                    {drawBadgesOf(draw, now).map(({ text, tone }) => (
                      <span className={`badge ${tone}`} key={text}>
                        {text}
                      </span>
                    ))}
                  </span>
                </td>
                <td>
                  <ActionsMenu
                    of={teamsText(draw)}
                    items={drawMenuItems(propsOf(draw), drawListNameOf(draw, now))}
                  />
                </td>
              </tr>
              {propsOf(draw).winnersShown ? (
                <tr>
                  <td colSpan={DRAW_TABLE_COLUMNS.length + 2}>
                    <WinnersPanel
                      draw={draw.drawNumber}
                      timezone={draw.timezone}
                      namesShown={propsOf(draw).sells}
                    />
                  </td>
                </tr>
              ) : null}
            </Fragment>
          ))}
        </tbody>
        {rows.length > 0 ? (
          <tfoot>
            <tr>
              <th scope="row" colSpan={2}>
                {rows.length} of {draws.length} {draws.length === 1 ? 'draw' : 'draws'}
              </th>
              <td className="num">{totals.sold}</td>
              <td className="num">{formatDollars(totals.salesCents)}</td>
              <td className="num">{formatDollars(totals.prizeCents)}</td>
              <td colSpan={2} />
            </tr>
          </tfoot>
        ) : null}
      </table>
      {rows.length === 0 ? (
        <p className="lead">
          {draws.length === 0 ? 'No draws yet.' : `Nothing has “${search}” in it.`}
        </p>
      ) : null}
    </section>
  );
}
