/** What a table shows of a row: one value for sorting, searching and CSV, and, where words are not enough, a cell of its own. */
import type { ReactNode } from 'react';

export interface Column<Row> {
  id: string;
  header: string;
  /** A number sorts as a number; what is missing sorts last. */
  value: (row: Row) => string | number | null | undefined;
  /** What is read, when it is not the value itself. */
  text?: (row: Row) => string;
  cell?: (row: Row) => ReactNode;
  /** Numbers stand at the right. */
  end?: boolean;
  /** The row's name: first on a phone's card, and the row's heading. */
  name?: boolean;
  /** Under the column, over the rows that are shown. */
  total?: (rows: readonly Row[]) => string;
  /** Not shown, but searched and in the CSV. */
  hidden?: boolean;
}

export function textOf<Row>(column: Column<Row>, row: Row): string {
  if (column.text) return column.text(row);
  const value = column.value(row);
  return value === null || value === undefined ? '' : String(value);
}

/** The same as somebody types it, and as a spreadsheet takes it: a space that ties a time together is a space. */
export const typedOf = <Row>(column: Column<Row>, row: Row): string =>
  textOf(column, row).replaceAll('\u00a0', ' ');

/** Ascending; words as a person orders them, with 9 before 10. */
export function compare(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one).localeCompare(String(other), 'en-AU', { numeric: true, sensitivity: 'base' });
}
