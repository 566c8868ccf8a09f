import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { drawPhaseOf } from '@/features/shared-live/draw-phase';
import { makeDraw } from '@/testing/draw-data';
import { renderScreen } from '@/testing/render-screen';
import { DrawHero } from './draw-hero';
import { DrawPageDetails } from './draw-page-details';

test('a cancelled draw shows no prize and says that its tickets are refunded', () => {
  const draw = makeDraw({ status: 'cancelled' });
  const phase = drawPhaseOf(draw, Date.now());
  renderScreen(
    <>
      <DrawHero draw={draw} phase={phase} />
      <DrawPageDetails draw={draw} />
    </>,
  );
  expect([...document.querySelectorAll('.stat')].map((stat) => stat.textContent)).toEqual([
    'Prize poolNone',
    'TicketsRefunded',
  ]);
  expect(screen.queryByRole('progressbar')).toBeNull();
  expect(document.body.textContent).not.toMatch(/290|430|113|stays secret until the draw/);
});

test('the time of a draw never breaks across lines', () => {
  const draw = makeDraw();
  renderScreen(<DrawHero draw={draw} phase="active" />);
  expect(document.querySelector('.meta')?.textContent).toContain('7:10\u00a0pm');
});

test('the line under the teams shows zone and price as the first paint did, within two lines', () => {
  const { unmount } = renderScreen(
    <DrawHero draw={makeDraw({ league: 'Queensland Cup' })} phase="active" />,
  );
  expect(document.querySelector('.meta')?.textContent).toBe(
    'Queensland Cup · Fri 20 Nov 2026, 7:10\u00a0pm AEST · $5.00 + $0.39 fee = $5.39',
  );
  unmount();
  renderScreen(<DrawHero draw={makeDraw({ passStripeFees: false })} phase="active" />);
  expect(document.querySelector('.meta')?.textContent).toBe(
    'Fri 20 Nov 2026, 7:10\u00a0pm AEST · $5.00 a ticket',
  );
});
