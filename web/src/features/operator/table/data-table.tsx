import {
  columnFilteringFeature,
  createFilteredRowModel,
  createSortedRowModel,
  globalFilteringFeature,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import type { ColumnDef, RowData, RowSelectionState, SortingState } from '@tanstack/react-table';
import { useMemo, useState, type ReactNode } from 'react';
import { useConsoleUrl } from '../console/address';
import { compareSortValues, exportTextOf, type Column } from './columns';
import { TableGrid } from './table-grid';
import { TableTools } from './table-tools';
import { useRowKeyboardNavigation, type RowKeyboardHandlers } from './use-row-keys';

const enabledFeatures = tableFeatures({
  columnFilteringFeature,
  filteredRowModel: createFilteredRowModel(),
  globalFilteringFeature,
  rowSelectionFeature,
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
});

export interface SelectionOptions<Row> {
  can: (row: Row) => boolean;
  /** Renders the actions for the selected rows. */
  bar: (rows: readonly Row[], done: () => void) => ReactNode;
}

export interface DataTableProps<Row extends RowData> {
  /** Accessible name of the table; also used for the CSV file name. */
  label: string;
  rows: readonly Row[];
  /** Number of rows before the section's filters were applied; defaults to the length of `rows`. */
  of?: number;
  rowId: (row: Row) => string;
  columns: readonly Column<Row>[];
  /** Default sort order; `-detectedAt` means newest first. */
  order: string;
  /** Maximum number of rows until the operator shows all (specification line C:339). */
  shown?: number;
  /** Shown when there are no rows, whatever the filters. */
  empty: ReactNode;
  /** URL parameters that disable all of the section's filters. */
  unfiltered?: Readonly<Record<string, string>>;
  actions?: (row: Row) => ReactNode;
  onOpen?: (row: Row) => void;
  onAct?: (row: Row) => void;
  isOpen?: (row: Row) => boolean;
  selecting?: SelectionOptions<Row>;
  /** Ids of rows that arrived after the table opened; these rows slide in. */
  newcomers?: ReadonlySet<string>;
  chips?: ReactNode;
}

const toSortingState = (order: string): SortingState =>
  order ? [{ id: order.replace(/^-/, ''), desc: order.startsWith('-') }] : [];

const NO_FILTERS = { status: '', type: '' };

/**
 * Table with search, sorting, selection, keyboard navigation and CSV. Search and order are kept in
 * the URL.
 */
export function DataTable<Row extends RowData>({
  label,
  rows,
  of = rows.length,
  rowId,
  columns,
  order,
  shown,
  empty,
  unfiltered = NO_FILTERS,
  actions,
  onOpen,
  onAct,
  isOpen,
  selecting,
  newcomers,
  chips,
}: DataTableProps<Row>) {
  const address = useConsoleUrl();
  const [selected, setSelected] = useState<RowSelectionState>({});
  const [all, setAll] = useState(false);
  const query = address.read('q');
  const sorting = useMemo(() => toSortingState(address.read('sort') || order), [address, order]);
  const defs = useMemo(
    () =>
      columns.map((column): ColumnDef<typeof enabledFeatures, Row> => ({
        id: column.id,
        accessorFn: (row) => column.value(row) ?? undefined,
        sortFn: (one, other, id) => compareSortValues(one.getValue(id), other.getValue(id)),
        sortUndefined: 'last',
      })),
    [columns],
  );
  const table = useTable({
    features: enabledFeatures,
    data: rows,
    columns: defs,
    getRowId: rowId,
    state: { sorting, globalFilter: query, rowSelection: selected },
    onRowSelectionChange: setSelected,
    enableRowSelection: (row) => selecting?.can(row.original) ?? false,
    getColumnCanGlobalFilter: () => true,
    globalFilterFn: (row, id, text: string) =>
      exportTextOf(columns.find((column) => column.id === id) as Column<Row>, row.original)
        .toLowerCase()
        .includes(text.trim().toLowerCase()),
  });
  const found = table.getRowModel().rows;
  const cut = shown !== undefined && !all && !query ? found.slice(0, shown) : found;
  const originals = cut.map((row) => row.original);
  const ticked = selecting
    ? found.filter((row) => row.getIsSelected()).map((row) => row.original)
    : [];
  const at = (act?: (row: Row) => void): RowKeyboardHandlers['onOpen'] =>
    act && ((index) => originals[index] !== undefined && act(originals[index]));
  const keys = useRowKeyboardNavigation(cut.length, { onOpen: at(onOpen), onAct: at(onAct) });
  const onSort = (id: string) => {
    const current = sorting[0];
    address.write({ sort: current?.id === id && !current.desc ? `-${id}` : id });
  };
  return (
    <div className="ops-table-block">
      <TableTools
        label={label}
        columns={columns}
        rows={found.map((row) => row.original)}
        of={of}
        chips={chips}
        order={address.read('sort') || order}
      />
      {ticked.length > 0 ? (
        <div className="ops-bulk" role="group" aria-label="Chosen rows">
          <strong>{ticked.length} chosen</strong>
          {selecting?.bar(ticked, () => setSelected({}))}
        </div>
      ) : null}
      {of === 0 ? <div className="card empty">{empty}</div> : null}
      {of > 0 && found.length === 0 ? (
        <div className="card empty">
          <strong>Nothing matches.</strong>
          <button
            type="button"
            className="btn small sec"
            onClick={() => address.write({ ...unfiltered, q: '' })}
          >
            Clear search and filters
          </button>
        </div>
      ) : null}
      {cut.length > 0 ? (
        <TableGrid
          label={label}
          columns={columns}
          rows={cut}
          originals={originals}
          sorting={sorting[0]}
          onSort={onSort}
          keys={keys}
          actions={actions}
          isOpen={isOpen}
          onOpen={onOpen}
          selects={selecting !== undefined}
          newcomers={newcomers}
        />
      ) : null}
      {cut.length < found.length ? (
        <button type="button" className="btn small sec ops-more" onClick={() => setAll(true)}>
          Show all {found.length}
        </button>
      ) : null}
    </div>
  );
}
