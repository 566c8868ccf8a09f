/**
 * Writes CSV for Excel: UTF-8 with a byte order mark, CRLF, and no cell that a spreadsheet would
 * execute (ASVS 1.2.10).
 */
import { saveFile } from '@/shared/save-file';
import { exportTextOf, type Column } from './columns';

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Matches text that a spreadsheet executes as a formula, including after invisible characters and
 * with full-width signs.
 */
const FORMULA_START = /^[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;
const LEADING_ZERO_NUMBER = /^0\d+$/;

function csvCell(text: string): string {
  const harmless = FORMULA_START.test(text) || LEADING_ZERO_NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export function toCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map((column) => csvCell(column.header)),
    ...rows.map((row) => columns.map((column) => csvCell(exportTextOf(column, row)))),
  ];
  return BYTE_ORDER_MARK + lines.map((line) => `${line.join(',')}\r\n`).join('');
}

/** Saves all given rows with all columns; the file name contains the date. */
export function saveCsv<Row>(
  name: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  now: Date,
): void {
  saveFile({
    name: `${name}-${now.toISOString().slice(0, 10)}.csv`,
    content: new Blob([toCsv(columns, rows)], { type: 'text/csv;charset=utf-8' }),
  });
}
