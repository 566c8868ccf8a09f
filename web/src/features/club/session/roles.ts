/**
 * Permissions of club members (decision G-17). The server enforces them; the browser only decides
 * which buttons to show.
 */
import type { User } from '@/api/wire-club';

export const ROLES = ['owner', 'seller', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export const isRole = (word: unknown): word is Role => ROLES.includes(word as Role);

/**
 * Returns the user's role. The operator acts as an owner; a remembered user without a role was an
 * owner.
 */
export function roleOf(user: Pick<User, 'isAdmin'> & { role?: string | null }): Role {
  return !user.isAdmin && isRole(user.role) ? user.role : 'owner';
}

interface WithRole {
  role: Role;
}

/**
 * Whether the user may manage draws, offers, results and messages to winners, and download files
 * with buyers.
 */
export const sells = ({ role }: WithRole): boolean => role !== 'viewer';

/**
 * Whether the user may do everything, including the owner's tasks: payment account, bank details,
 * page and members.
 */
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
