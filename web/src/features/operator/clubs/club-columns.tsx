/** Columns of the club tables, active and archived. */
import type { AdminClub } from '@/api/wire-operator';
import { dayText } from '@/shared/dates';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { Tag } from '../components/common';
import type { Column } from '../table/columns';

const connectStatusText = (club: AdminClub) =>
  club.stripeConnectOnboardingComplete ? O.connected : O.setupPending;
export const StripeConnectTag = ({ club }: { club: AdminClub }) => (
  <Tag kind={club.stripeConnectOnboardingComplete ? 'ok' : 'warn'}>{connectStatusText(club)}</Tag>
);

/** Whether Apple Pay and Google Pay appear for payments to the club, and if not, why. */
const walletsText = ({ walletDomain, walletDomainProblem }: AdminClub) => {
  if (!walletDomain) return null;
  if (walletDomain === 'active') return 'Active';
  return walletDomain === 'inactive'
    ? `Inactive: ${walletDomainProblem}`
    : `Not registered yet: ${walletDomainProblem}`;
};

export const CLUB_COLUMNS: readonly Column<AdminClub>[] = [
  {
    id: 'name',
    header: 'Name',
    name: true,
    value: ({ name }) => name,
    cell: ({ name }) => <strong>{name}</strong>,
  },
  {
    id: 'email',
    header: 'E-mail',
    value: ({ email }) => email,
    cell: ({ email }) => (
      <a className="ops-clip" href={`mailto:${email}`}>
        {email}
      </a>
    ),
  },
  { id: 'location', header: 'Location', value: ({ location }) => location },
  { id: 'phone', header: 'Phone', value: ({ phone }) => phone },
  {
    id: 'connect',
    header: 'Stripe',
    value: connectStatusText,
    cell: (club) => <StripeConnectTag club={club} />,
  },
  {
    id: 'wallets',
    header: 'Wallets',
    hidden: true,
    value: walletsText,
  },
  {
    id: 'createdAt',
    header: 'Joined',
    hidden: true,
    value: ({ createdAt }) => createdAt,
    text: ({ createdAt }) => dayText(createdAt),
  },
  {
    id: 'account',
    header: 'Account',
    hidden: true,
    value: ({ stripeConnectAccountId }) => stripeConnectAccountId,
  },
];
