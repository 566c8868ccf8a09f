import { expect, test } from 'vitest';
import { dayAndTime } from '@/shared/dates';
import { toCsv } from './csv';
import { exportTextOf, type Column } from './columns';

const timeColumn: Column<{ at: string }> = {
  id: 'at',
  header: 'When',
  value: ({ at }) => at,
  text: ({ at }) => dayAndTime(at, 'Australia/Brisbane'),
};

test('a time with non-breaking spaces is found by a typed search and plain in a spreadsheet', () => {
  const row = { at: '2026-11-20T09:10:00Z' };
  expect(exportTextOf(timeColumn, row)).toContain('7:10 pm');
  expect(toCsv([timeColumn], [row])).toContain('"Fri 20 Nov 2026, 7:10 pm');
});
