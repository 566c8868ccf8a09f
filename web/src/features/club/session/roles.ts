/** What one of a club's people may do (decision G-17). The server is the judge; here it only decides which buttons are worth showing. */
import type { User } from '@/api/wire-club';

export const ROLES = ['owner', 'seller', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export const isRole = (word: unknown): word is Role => ROLES.includes(word as Role);

/** The operator does at a club what its owner does; who is remembered from before there were roles was an owner. */
export function roleOf(user: Pick<User, 'isAdmin'> & { role?: string | null }): Role {
  return !user.isAdmin && isRole(user.role) ? user.role : 'owner';
}

interface WithRole {
  role: Role;
}

/** Draws, offers, results, letters to winners, and files with buyers in them. */
export const sells = ({ role }: WithRole): boolean => role !== 'viewer';

/** Everything, and what only an owner does: the payment account, the bank, the page, the people. */
export const owns = ({ role }: WithRole): boolean => role === 'owner';

export const ROLE_WORDS: Record<Role, { name: string; does: string }> = {
  owner: {
    name: 'Owner',
    does: 'Does everything the club does: payment account, prizes, home page and people too.',
  },
  seller: {
    name: 'Seller',
    does: 'Creates draws and offers, enters results and writes to winners.',
  },
  viewer: {
    name: 'Viewer',
    does: 'Sees draws, counts and money, and changes nothing. Buyers’ names stay hidden.',
  },
};

export const OWNERS_ONLY = 'Only an owner of the club can do this.';
export const SELLERS_ONLY =
  'Your role only lets you look. Ask an owner of the club for the role of a seller.';
