import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import { renderScreen } from '@/testing/render-screen';
import { CommitmentBeforeReveal } from './commitment-before-reveal';

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
const drawWithoutTicketsLeft = { gameDate: '2099-01-01T00:00:00Z', ticketsAvailable: 0 };

test('tickets that are only reserved do not count as sold', () => {
  const { unmount } = renderScreen(
    <CommitmentBeforeReveal
      proof={proof}
      draw={makeDraw({ ...drawWithoutTicketsLeft, ticketsSold: 160, ticketsHeld: 9 })}
    />,
  );
  expect(screen.getByText('Tickets are still on sale.')).toBeDefined();
  unmount();
  renderScreen(
    <CommitmentBeforeReveal
      proof={proof}
      draw={makeDraw({ ...drawWithoutTicketsLeft, ticketsSold: 169 })}
    />,
  );
  expect(screen.getByText('All tickets are sold.')).toBeDefined();
});
