/** Writes an audit entry as a sentence: who did what to which object, with amounts and the reason. */
import type { AuditEntry } from '@/api/wire-platform';
import { amountText } from '../components/money';
import { dayAndTime } from '@/shared/dates';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { CONSOLE_PATH } from '../console/address';

/** What the kinds of actions in the filter contain. */
export const ACTION_KINDS = {
  money: {
    label: 'Money',
    actions: [
      'refund-order',
      'refund-payment',
      'allocate-missing-ticket',
      'recover-ticket',
      'resolve-anomaly',
      'scan-payments',
      'record-payout',
      'settle-payout',
      'notify-winners',
      'enter-winner-bank',
      'decline-winner-bank',
      'answer-claim',
    ],
  },
  draws: {
    label: 'Draws',
    actions: [
      'create-draw',
      'import-fixtures',
      'edit-draw',
      'archive-draw',
      'cancel-draw',
      'close-expired-draw',
      'remind-result',
      'enter-results',
      'undo-results',
    ],
  },
  settings: {
    label: 'Settings',
    actions: [
      'set',
      'create-footer-menu',
      'change-footer-menu',
      'remove-footer-menu',
      'create-footer-item',
      'change-footer-item',
      'remove-footer-item',
    ],
  },
  clubs: {
    label: 'Clubs',
    actions: [
      'archive-club',
      'unarchive-club',
      'connect-account',
      'save-home-page',
      'invite-club-user',
      'change-club-user',
      'remove-club-user',
      'remove-from-waitlist',
    ],
  },
  access: {
    label: 'Access',
    actions: ['sign-in', 'accept-invitation', 'reauthenticate', 'reset-password', 'fence'],
  },
} as const;
export type ActionKind = keyof typeof ACTION_KINDS;

export const actionKindOf = (action: string): ActionKind | null =>
  (Object.keys(ACTION_KINDS) as ActionKind[]).find((kind) =>
    (ACTION_KINDS[kind].actions as readonly string[]).includes(action),
  ) ?? null;

/** Names of objects that the console has loaded. */
export interface ObjectNames {
  /** The game of a draw, `Sharks v Tigers`. */
  draw: (drawNumber: number) => string | undefined;
  club: (club: number) => string | undefined;
}

export interface ObjectLink {
  text: string;
  /** Address of the object in the console; null for an object without a page. */
  href: string | null;
}

export interface AuditSentence {
  who: string;
  /** The words before the object. */
  verb: string;
  object: ObjectLink | null;
  /** The words after the object. */
  rest: string;
  reason: string | null;
}

const SETTING_NAMES: Readonly<Record<string, string>> = {
  maintenance_mode: 'maintenance mode',
  club_registration_enabled: 'club registration',
  hide_test_draws: 'Hide test draws',
  fee_passthrough_allowed: 'passing card fees on',
};

const sectionLink = (section: string, more: Readonly<Record<string, string>>): string =>
  `${CONSOLE_PATH}?${new URLSearchParams({ section, ...more }).toString()}`;

/** Names the object of an entry, with a link to where the console shows it. */
export function objectLinkOf(object: string, names: ObjectNames): ObjectLink {
  const [kind = '', id = ''] = object.split(/:(.*)/s);
  switch (kind) {
    case 'draw': {
      const game = names.draw(Number(id));
      return {
        text: `FD-${id}${game ? ` ${game}` : ''}`,
        href: sectionLink('draws', { q: `FD-${id}` }),
      };
    }
    case 'order':
      return {
        text: `order ${id.slice(0, 8)}`,
        href: sectionLink('transactions', { open: id }),
      };
    case 'anomaly':
      return { text: 'an anomaly', href: sectionLink('payments', { open: id }) };
    case 'club': {
      const name = names.club(Number(id));
      return {
        text: name ?? `club ${id}`,
        href: sectionLink('clubs', name ? { q: name } : {}),
      };
    }
    case 'setting':
      return {
        text: SETTING_NAMES[id] ?? id.replaceAll('_', ' '),
        href: sectionLink('system', {}),
      };
    case 'footer-menu':
    case 'footer-item':
      return {
        text: kind === 'footer-menu' ? 'a footer menu' : 'a footer link',
        href: sectionLink('system', {}),
      };
    case 'waitlist':
      return { text: 'the waitlist', href: sectionLink('waitlist', {}) };
    default:
      return { text: object.replaceAll('-', ' '), href: null };
  }
}

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : String(value);
const amountOf = (value: unknown): string => amountText(textOf(value) || null);
const ticketsText = (count: unknown): string =>
  count === undefined || count === null
    ? 'tickets'
    : `${textOf(count)} ${Number(count) === 1 ? 'ticket' : 'tickets'}`;
const dateOf = (value: unknown): string => dayAndTime(textOf(value)) || textOf(value);
const numbersText = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join(' and ') : '';
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Phrase = [verb: string, rest?: string];

/** The words around the object, from the action and its details. */
function phraseOf({
  action,
  object,
  detail,
}: Pick<AuditEntry, 'action' | 'object' | 'detail'>): Phrase {
  const after = isRecord(detail.after) ? detail.after : {};
  switch (action) {
    case 'refund-order':
      return [`refunded ${amountOf(detail.amount)} of`];
    case 'refund-payment':
      return ['refunded the payment of'];
    case 'allocate-missing-ticket':
      return [`gave ${ticketsText(detail.ticketCount)} to`];
    case 'recover-ticket':
      return [`gave ${textOf(detail.ticket) || 'a ticket'} its buyer in`];
    case 'resolve-anomaly':
      return ['resolved', detail.resolution ? `: ${textOf(detail.resolution)}` : ''];
    case 'scan-payments':
      return [
        `checked the payments of ${textOf(detail.hoursBack) || '1'} h`,
        `: ${textOf(detail.newAnomalies) || '0'} new anomalies`,
      ];
    case 'record-payout':
      return [`recorded a payout of ${amountOf(detail.amount)} for`];
    case 'settle-payout':
      return [
        `marked the payout of ${amountOf(detail.amount)} as ${textOf(detail.status) || 'settled'} for`,
      ];
    case 'notify-winners':
      return ['notified the winner of'];
    case 'enter-winner-bank':
      return ['entered the winner’s bank details for'];
    case 'decline-winner-bank':
      return ['declined new bank details for'];
    case 'answer-claim':
      return ['answered the prize claim of'];
    case 'create-draw':
      return ['created'];
    case 'import-fixtures':
      return [`imported ${textOf(detail.draws)} draws for`];
    case 'edit-draw':
      return after.gameDate
        ? ['moved the kick-off of', ` to ${dateOf(after.gameDate)}`]
        : ['changed'];
    case 'archive-draw':
      return [detail.archived === false ? 'restored' : 'archived'];
    case 'cancel-draw':
      return ['cancelled'];
    case 'close-expired-draw':
      return ['closed'];
    case 'remind-result':
      return ['reminded the club of the result of'];
    case 'enter-results':
      return [`entered the result ${textOf(detail.home)} and ${textOf(detail.away)} of`];
    case 'undo-results':
      return [`undid the result ${numbersText(detail.before)} of`.replace('  ', ' ')];
    case 'set': {
      const isOn = String(detail.after) === 'true';
      return String(detail.after) === 'true' || String(detail.after) === 'false'
        ? [`turned ${isOn ? 'on' : 'off'}`]
        : ['set', ` to ${textOf(detail.after)}`];
    }
    case 'create-footer-menu':
    case 'create-footer-item':
      return ['added', named(detail)];
    case 'change-footer-menu':
    case 'change-footer-item':
      return ['changed', named(detail)];
    case 'remove-footer-menu':
    case 'remove-footer-item':
      return ['removed'];
    case 'archive-club':
      return ['archived the club'];
    case 'unarchive-club':
      return ['restored the club'];
    case 'connect-account':
      return ['connected the Stripe account of'];
    case 'save-home-page':
      return ['saved the page of'];
    case 'invite-club-user':
      return ['invited a person to a club'];
    case 'change-club-user':
      return ['changed a person’s role', detail.role ? ` to ${textOf(detail.role)}` : ''];
    case 'remove-club-user':
      return ['removed a person of a club'];
    case 'remove-from-waitlist':
      return ['removed an entry from'];
    case 'reauthenticate':
      return [detail.accepted === false ? 'entered a wrong code' : 'confirmed their identity'];
    case 'sign-in':
      return ['signed in'];
    case 'accept-invitation':
      return ['accepted an invitation'];
    default:
      return [`${action.replaceAll('-', ' ').replaceAll('_', ' ')}:`, object ? '' : ''];
  }
}

const named = (detail: Record<string, unknown>): string => {
  const name = textOf(detail.heading) || textOf(detail.label);
  return name ? ` “${name}”` : '';
};

/** Actions whose sentence is complete without the object. */
const ACTIONS_WITHOUT_OBJECT: ReadonlySet<string> = new Set([
  'scan-payments',
  'sign-in',
  'accept-invitation',
  'reauthenticate',
  'invite-club-user',
  'change-club-user',
  'remove-club-user',
]);

export function auditSentenceOf(entry: AuditEntry, names: ObjectNames): AuditSentence {
  const [verb, rest = ''] = phraseOf(entry);
  const reason = textOf(entry.detail.reason) || null;
  return {
    who: entry.name ?? entry.by ?? O.superAdmin,
    verb,
    object: ACTIONS_WITHOUT_OBJECT.has(entry.action) ? null : objectLinkOf(entry.object, names),
    rest,
    reason,
  };
}

/** The sentence as plain text, for the CSV. */
export function auditSentenceText(entry: AuditEntry, names: ObjectNames): string {
  const { who, verb, object, rest, reason } = auditSentenceOf(entry, names);
  return `${who} ${verb}${object ? ` ${object.text}` : ''}${rest}.${reason ? ` Reason: “${reason}”.` : ''}`;
}

export interface ChangedField {
  field: string;
  before: string;
  after: string;
}

const fieldName = (name: string): string => {
  const words = name.replace(/([A-Z])/g, ' $1').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** The fields that an entry changed, with their values before and after. */
export function changedFieldsOf({ detail }: Pick<AuditEntry, 'detail'>): ChangedField[] {
  if (isRecord(detail.before) || isRecord(detail.after)) {
    const before = isRecord(detail.before) ? detail.before : {};
    const after = isRecord(detail.after) ? detail.after : {};
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].map((name) => ({
      field: fieldName(name),
      before: textOf(before[name]) || '–',
      after: textOf(after[name]) || '–',
    }));
  }
  return detail.after === undefined
    ? []
    : [
        {
          field: 'Value',
          before: textOf(detail.before) || '–',
          after: textOf(detail.after) || '–',
        },
      ];
}

/** The details of an entry that neither its sentence's reason nor its changed fields show. */
export const otherDetailsOf = ({ detail }: Pick<AuditEntry, 'detail'>): [string, string][] =>
  Object.entries(detail)
    .filter(
      ([name, value]) =>
        !['before', 'after', 'reason'].includes(name) &&
        value !== null &&
        value !== undefined &&
        value !== '',
    )
    .map(([name, value]) => [
      fieldName(name),
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]);
