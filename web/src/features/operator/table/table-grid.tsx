import type { ReactNode } from 'react';
import { cellTextOf, type Column } from './columns';
import type { useRowKeyboardNavigation } from './use-row-keys';

interface GridRow<Row> {
  id: string;
  original: Row;
  getIsSelected: () => boolean;
  getCanSelect: () => boolean;
  toggleSelected: (on?: boolean) => void;
}

interface TableGridProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly GridRow<Row>[];
  originals: readonly Row[];
  sorting: { id: string; desc: boolean } | undefined;
  onSort: (id: string) => void;
  keys: ReturnType<typeof useRowKeyboardNavigation>;
  actions?: (row: Row) => ReactNode;
  isOpen?: (row: Row) => boolean;
  onOpen?: (row: Row) => void;
  selects: boolean;
  newcomers?: ReadonlySet<string>;
}

const ariaSort = (id: string, sorting: TableGridProps<unknown>['sorting']) =>
  sorting?.id === id ? (sorting.desc ? 'descending' : 'ascending') : 'none';

/**
 * Renders the rows. On a phone each row is a card; explicit ARIA roles replace those that the card
 * styles remove.
 */
export function TableGrid<Row>({
  label,
  columns,
  rows,
  originals,
  sorting,
  onSort,
  keys,
  actions,
  isOpen,
  onOpen,
  selects,
  newcomers,
}: TableGridProps<Row>) {
  const shown = columns.filter((column) => !column.hidden);
  const totals = shown.some((column) => column.total);
  return (
    <div className="card ops-table-card">
      <table className="ops-table" role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {selects ? (
              <th role="columnheader" scope="col" className="is-tick">
                <span className="sr">Choose</span>
              </th>
            ) : null}
            {shown.map((column) => (
              <th
                key={column.id}
                role="columnheader"
                scope="col"
                data-column={column.id}
                className={column.end ? 'is-end' : undefined}
                aria-sort={ariaSort(column.id, sorting)}
              >
                <button type="button" onClick={() => onSort(column.id)}>
                  {column.header}
                  <span aria-hidden="true">
                    {sorting?.id === column.id ? (sorting.desc ? '↓' : '↑') : ''}
                  </span>
                </button>
              </th>
            ))}
            {actions ? (
              <th role="columnheader" scope="col" className="is-actions">
                <span className="sr">Actions</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody role="rowgroup" onKeyDown={keys.onKeyDown}>
          {rows.map((row, index) => (
            <tr
              key={row.id}
              role="row"
              data-row={index}
              data-id={row.id}
              tabIndex={keys.tabIndexOf(index)}
              className={
                [isOpen?.(row.original) ? 'is-open' : '', newcomers?.has(row.id) ? 'is-new' : '']
                  .join(' ')
                  .trim() || undefined
              }
              onFocus={() => keys.onFocusRow(index)}
              onClick={(event) =>
                onOpen &&
                !(event.target as HTMLElement).closest('button, a, input, label') &&
                onOpen(row.original)
              }
            >
              {selects ? (
                <td role="cell" className="is-tick">
                  {row.getCanSelect() ? (
                    <label className="ops-tick">
                      <input
                        type="checkbox"
                        checked={row.getIsSelected()}
                        onChange={() => row.toggleSelected()}
                      />
                      <span className="sr">
                        Choose{' '}
                        {cellTextOf(
                          shown.find((column) => column.name) ?? (shown[0] as Column<Row>),
                          row.original,
                        )}
                      </span>
                    </label>
                  ) : null}
                </td>
              ) : null}
              {shown.map((column) => (
                <td
                  key={column.id}
                  role={column.name ? 'rowheader' : 'cell'}
                  data-label={column.header}
                  data-column={column.id}
                  className={
                    [column.end ? 'is-end' : '', column.name ? 'is-name' : ''].join(' ').trim() ||
                    undefined
                  }
                >
                  <div className="ops-cell">
                    {column.cell ? column.cell(row.original) : cellTextOf(column, row.original)}
                  </div>
                </td>
              ))}
              {actions ? (
                <td role="cell" className="is-actions">
                  <div className="ops-actions">{actions(row.original)}</div>
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
        {totals ? (
          <tfoot role="rowgroup">
            <tr role="row">
              {selects ? <td role="cell" className="is-tick" /> : null}
              {shown.map((column, index) => (
                <td
                  key={column.id}
                  role="cell"
                  data-label={column.header}
                  data-column={column.id}
                  className={column.end ? 'is-end' : undefined}
                >
                  {column.total?.(originals) ?? (index === 0 ? 'Total shown' : '')}
                </td>
              ))}
              {actions ? <td role="cell" className="is-actions" /> : null}
            </tr>
          </tfoot>
        ) : null}
      </table>
    </div>
  );
}
