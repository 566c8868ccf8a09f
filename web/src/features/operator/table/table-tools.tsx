import type { ReactNode } from 'react';
import { useServerNow } from '@/features/shared-live/use-live';
import { useConsoleUrl } from '../console/address';
import type { Column } from './columns';
import { saveCsv } from './csv';

interface TableToolsProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  /** All matching rows in order, including those not yet displayed. */
  rows: readonly Row[];
  of: number;
  chips?: ReactNode;
  /** The current sort order, for the select that replaces the column headings on a phone. */
  order?: string;
}

/** Toolbar of a table: search, filters, number of matches, and a CSV of all matches. */
export function TableTools<Row>({ label, columns, rows, of, chips, order }: TableToolsProps<Row>) {
  const address = useConsoleUrl();
  const now = useServerNow();
  const count = rows.length === of ? `${of}` : `${rows.length} of ${of}`;
  return (
    <div className="ops-tools">
      <div className="ops-search" role="search" aria-label={label}>
        <input
          type="search"
          aria-label={`Search ${label.toLowerCase()}`}
          placeholder="Search"
          value={address.read('q')}
          onChange={(event) => address.write({ q: event.currentTarget.value })}
        />
      </div>
      {chips}
      {order === undefined ? null : <SortOrderSelect columns={columns} order={order} />}
      <span className="ops-count" role="status">
        {count} {of === 1 ? 'row' : 'rows'}
      </span>
      <button
        type="button"
        className="btn small sec"
        disabled={rows.length === 0}
        onClick={() =>
          saveCsv(label.toLowerCase().replaceAll(' ', '-'), columns, rows, new Date(now()))
        }
      >
        CSV
      </button>
    </div>
  );
}

/** Select for the sort order on a phone, where rows are cards without headings. */
function SortOrderSelect<Row>({
  columns,
  order,
}: {
  columns: readonly Column<Row>[];
  order: string;
}) {
  const address = useConsoleUrl();
  const shown = columns.filter((column) => !column.hidden);
  return (
    <select
      className="ops-select ops-order"
      aria-label="Order"
      value={order}
      onChange={(event) => address.write({ sort: event.currentTarget.value })}
    >
      {shown.flatMap(({ id, header }) => [
        <option key={id} value={id}>
          {header} ↑
        </option>,
        <option key={`-${id}`} value={`-${id}`}>
          {header} ↓
        </option>,
      ])}
    </select>
  );
}

interface FilterChipsProps {
  /** Name of the URL parameter that stores the chosen option. */
  name: string;
  label: string;
  options: readonly { value: string; label: string; count?: number }[];
}

/** Filter with a few options, kept in the URL. The first option means no filter. */
export function FilterChips({ name, label, options }: FilterChipsProps) {
  const address = useConsoleUrl();
  const chosen = address.read(name);
  return (
    <div className="ops-chips" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={chosen === option.value}
          onClick={() => address.write({ [name]: option.value })}
        >
          {option.label}
          {option.count === undefined ? null : <span>{option.count}</span>}
        </button>
      ))}
    </div>
  );
}
