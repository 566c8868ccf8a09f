import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { aDraw } from '@/testing/a-draw';
import { show } from '@/testing/show';
import { BeforeReveal } from './before-reveal';

const proof = {
  drawNumber: 1042,
  commitment: '00',
  revealed: false,
  seed: null,
  algorithm: 'football-doubles-v1',
  soldTickets: [],
  ticketMoves: null,
  result: null,
  winningTicket: null,
};
const withoutAny = { gameDate: '2099-01-01T00:00:00Z', ticketsAvailable: 0 };

test('tickets that are only reserved do not count as sold', () => {
  const { unmount } = show(
    <BeforeReveal
      proof={proof}
      draw={aDraw({ ...withoutAny, ticketsSold: 160, ticketsHeld: 9 })}
    />,
  );
  expect(screen.getByText('Tickets are still on sale.')).toBeDefined();
  unmount();
  show(<BeforeReveal proof={proof} draw={aDraw({ ...withoutAny, ticketsSold: 169 })} />);
  expect(screen.getByText('All tickets are sold.')).toBeDefined();
});
