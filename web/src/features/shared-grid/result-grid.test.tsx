import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { cellOf } from './grid';
import { ResultGrid } from './result-grid';

/** The stylesheet of the grids. Vitest runs in the `web` directory. */
const gridCss = readFileSync(join(process.cwd(), 'src/features/shared-grid/grid.css'), 'utf8');

/** Returns the selectors, without `::after`, of the rules that draw a mark inside a cell. */
const markedCellSelectors = [...gridCss.matchAll(/(\.cell[^{}]*)::after\s*\{([^}]*)\}/g)]
  .filter(([, , declarations]) => declarations?.includes('border:'))
  .map(([, selector]) => selector?.trim() ?? '');

test('sold cell has a mark besides its background, and an unsold cell has none', () => {
  const { container } = render(
    <ResultGrid
      result={{ home: 2, away: 3 }}
      sold={new Set([cellOf({ home: 5, away: 6 })])}
      winnerSold
      caption="Result"
      playing={false}
    />,
  );
  const marked = markedCellSelectors.flatMap((selector) => [
    ...container.querySelectorAll(selector),
  ]);
  expect(marked.map((cell) => cell.textContent)).toEqual(['sold']);
});
