/** CSV that opens in Excel as it should: UTF-8 with its mark, CRLF, and no cell that a spreadsheet would run (ASVS 1.2.10). */
import { saveFile } from '@/shared/save-file';
import { typedOf, type Column } from './columns';

const MARK = '\ufeff';

/** What a spreadsheet would run, whatever unseen stands before it and however wide its sign is; and digits that are no number. */
const RUNS = /^[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;
const LOSES_ITS_ZERO = /^0\d+$/;

function cell(text: string): string {
  const harmless = RUNS.test(text) || LOSES_ITS_ZERO.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export function toCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map((column) => cell(column.header)),
    ...rows.map((row) => columns.map((column) => cell(typedOf(column, row)))),
  ];
  return MARK + lines.map((line) => `${line.join(',')}\r\n`).join('');
}

/** Saves these rows, all of them and with all their columns, under the day's date. */
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
