import type { User, Whoami, Winner } from '@/api/wire-club';

/** A club that is signed in, and its winner; a test says only what matters to it. */
export const aUser = (more: Partial<User> = {}): User => ({ id: 1, email: 'sharks@example.com', name: 'Sharks', isAdmin: false, clubSlug: 'sharks', ...more });

export const aWhoami = (more: Partial<User> = {}): Whoami => {
  const user = aUser(more);
  return { role: user.isAdmin ? 'super-admin' : 'club-admin', clubSlug: user.clubSlug, user };
};

export const here = (more: Partial<User> = {}) => ({ user: aUser(more), club: { id: 1, name: 'Sharks', slug: 'sharks' } });

export const aWinner = (more: Partial<Winner> = {}): Winner => ({
  ticketNumber: 7, serialNumber: 'FD-1042-007', homeNumber: 7, awayNumber: 9, sold: true, buyerName: 'Robin', buyerEmail: 'robin@example.com', buyerPhone: '0400 000 000', winnerPayoutStatus: 'pending', respondBy: null, bank: null, ...more,
});
