/** Table columns: a value to sort by, a text for search and CSV, and an optional custom cell. */
import type { ReactNode } from 'react';

export interface Column<Row> {
  id: string;
  header: string;
  /** Value by which the table sorts. Numbers sort numerically; missing values sort last. */
  value: (row: Row) => string | number | null | undefined;
  /** Text for the cell, the search and the CSV, when it differs from the value. */
  text?: (row: Row) => string;
  cell?: (row: Row) => ReactNode;
  /** Whether the column is right-aligned, as numbers are. */
  end?: boolean;
  /** Whether this column names the row: it is the row heading. */
  name?: boolean;
  /** Returns the total of the visible rows, shown below the column. */
  total?: (rows: readonly Row[]) => string;
  /** Whether the column is not displayed. A hidden column stays searchable and part of the CSV. */
  hidden?: boolean;
}

export function cellTextOf<Row>(column: Column<Row>, row: Row): string {
  if (column.text) return column.text(row);
  const value = column.value(row);
  return value === null || value === undefined ? '' : String(value);
}

/**
 * Returns the display text with non-breaking spaces replaced by spaces, for search and
 * spreadsheets.
 */
export const exportTextOf = <Row>(column: Column<Row>, row: Row): string =>
  cellTextOf(column, row).replaceAll('\u00a0', ' ');

/** Compares two sort values in ascending order; texts in natural order, with 9 before 10. */
export function compareSortValues(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one).localeCompare(String(other), 'en-AU', { numeric: true, sensitivity: 'base' });
}
