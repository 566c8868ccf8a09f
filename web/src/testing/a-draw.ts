import type { Draw } from '@/api/wire';

/** A draw as the server answers it; a test says only what matters to it. */
export function aDraw(more: Partial<Draw> = {}): Draw {
  return {
    id: 1042, drawNumber: 1042, serialNumber: 'FD-1042', league: null, homeTeam: 'Redcliffe Sharks', awayTeam: 'Wynnum Tigers', clubId: 1, clubSlug: 'sharks', clubName: 'Sharks', clubPrimaryColor: '#0b2e6b', clubAccentColor: '#ffc72c', clubLogoUrl: null,
    gameDate: '2026-11-20T09:10:00Z', timezone: 'Australia/Brisbane', gameTime: '19:10:00', opensAt: null, archived: false, commitment: '00'.repeat(32), ticketPrice: '5.00', ticketsSold: 113, ticketsHeld: 0, ticketsAvailable: 56, status: 'active', prizePercentage: 50,
    roundUpPrize: true, passStripeFees: true, homeFirstTryScorer: null, awayFirstTryScorer: null, winningTicketSerial: null, winningTicketSold: null, currentPrize: '290.00', maxPrize: '430.00',
    revision: 5, connectedAccountId: 'acct_1', clubSelling: true, ...more,
  };
}
