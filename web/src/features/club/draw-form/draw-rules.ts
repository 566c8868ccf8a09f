/** A draw as it is typed, what is wrong with it in the specified words, and what is sent of it. */
import type { DrawTemplate, DrawWanted, OwnDraw } from '@/api/wire-club';
import { cents } from '@/shared/money';
import { REASON_WANTED } from '@/shared/reason';
import { C } from '@/shared/strings-club';
import type { FormProblem } from '@/shared/ui/problem-list';
import { DEFAULT_TIME, DEFAULT_ZONE, localTime } from './local-time';

export interface DrawFields {
  league: string;
  homeTeam: string;
  awayTeam: string;
  date: string;
  time: string;
  timezone: string;
  ticketPrice: string;
  prizePercentage: number;
  roundUpPrize: boolean;
  passStripeFees: boolean;
  contactName: string;
  contactPhone: string;
}

/** Whom buyers can reach; public on the draw's page (decision E-18). */
export type Contact = Pick<DrawFields, 'contactName' | 'contactPhone'>;

export const EMPTY_DRAW: DrawFields = {
  league: '',
  homeTeam: '',
  awayTeam: '',
  date: '',
  time: DEFAULT_TIME,
  timezone: DEFAULT_ZONE,
  ticketPrice: '5.00',
  prizePercentage: 50,
  roundUpPrize: false,
  passStripeFees: false,
  contactName: '',
  contactPhone: '',
};

export const CREATE_CHOICES = [40, 45, 50, 55, 60, 65, 70] as const;
const EDIT_CHOICES = [40, 50, 60, 70];

const withOwn = (choices: readonly number[], current: number): number[] =>
  [...new Set([...choices, current])].sort((one, other) => one - other);

/** The form's own choices, and the draw's when it is another: a select must not show what is not sent (decision D-10). */
export const createChoices = (current: number): number[] => withOwn(CREATE_CHOICES, current);
export const editChoices = (current: number): number[] => withOwn(EDIT_CHOICES, current);

/** Phone numbers only: digits and what stands between them (B:156). */
export const phoneOnly = (typed: string): string => typed.replace(/[^\d+()\-\s]/g, '');

export const fieldId = (field: string): string =>
  `draw-${{ gameDate: 'date', gameTime: 'time' }[field] ?? field}`;

type Rule = readonly [field: keyof DrawFields, holds: boolean, text: string];
const broken = (rules: readonly Rule[]): FormProblem[] =>
  rules.filter(([, holds]) => !holds).map(([field, , text]) => ({ field: fieldId(field), text }));
const filled = (text: string) => text.trim() !== '';
const isPrice = (text: string) => /^\d+(\.\d{1,2})?$/.test(text.trim());

const contactRules = ({ contactName, contactPhone }: Contact): Rule[] => [
  ['contactName', filled(contactName), C.contactNameRequired],
  ['contactPhone', filled(contactPhone), C.contactPhoneRequired],
];

/** A season asks for no more than this beside its table. */
export const contactProblems = (contact: Contact): FormProblem[] => broken(contactRules(contact));

/** Create takes a price from 0 in its input (B:156); the server refuses 0 in the same words (decision C-23). */
export function createProblems(fields: DrawFields): FormProblem[] {
  return broken([
    ['homeTeam', filled(fields.homeTeam), C.homeTeamRequired],
    ['awayTeam', filled(fields.awayTeam), C.awayTeamRequired],
    ['date', filled(fields.date), C.gameDateRequired],
    ['ticketPrice', isPrice(fields.ticketPrice), C.ticketPriceRequired],
    ...contactRules(fields),
  ]);
}

/** Edit also wants time, zone and a price of at least a cent (B:157). */
export function editProblems(fields: DrawFields): FormProblem[] {
  return broken([
    ['homeTeam', filled(fields.homeTeam), C.homeTeamRequired],
    ['awayTeam', filled(fields.awayTeam), C.awayTeamRequired],
    ['date', filled(fields.date), C.gameDateRequired],
    ['time', filled(fields.time), C.gameTimeRequired],
    ['timezone', filled(fields.timezone), C.timezoneRequired],
    [
      'ticketPrice',
      isPrice(fields.ticketPrice) && cents(fields.ticketPrice) >= 1,
      C.ticketPriceRequired,
    ],
    ...contactRules(fields),
  ]);
}

/** The operator also says why, in the words of the console (decision E-9). */
export const reasonProblems = (reason: string): FormProblem[] =>
  filled(reason) ? [] : [{ field: fieldId('reason'), text: REASON_WANTED }];

/** What both forms send; the date and time are the zone's own. */
function details(fields: DrawFields): DrawWanted {
  return {
    league: fields.league.trim() || null,
    homeTeam: fields.homeTeam.trim(),
    awayTeam: fields.awayTeam.trim(),
    gameDate: `${fields.date}T${fields.time || DEFAULT_TIME}`,
    timezone: fields.timezone || DEFAULT_ZONE,
    contactName: fields.contactName.trim(),
    contactPhone: fields.contactPhone.trim(),
  };
}

const price = (typed: string): string => {
  const [whole = '0', part = ''] = typed.trim().split('.');
  return `${whole}.${part.padEnd(2, '0')}`;
};

export const creation = (fields: DrawFields): DrawWanted => ({
  ...details(fields),
  ticketPrice: price(fields.ticketPrice),
  prizePercentage: fields.prizePercentage,
  passStripeFees: fields.passStripeFees,
  roundUpPrize: fields.roundUpPrize,
});

/** Price, percentage and rounding go along only while no ticket is sold (B:203). */
export function change(fields: DrawFields, locked: boolean): DrawWanted {
  return locked
    ? details(fields)
    : {
        ...details(fields),
        ticketPrice: price(fields.ticketPrice),
        prizePercentage: fields.prizePercentage,
        roundUpPrize: fields.roundUpPrize,
      };
}

export function fieldsOf(draw: OwnDraw): DrawFields {
  const local = localTime(Date.parse(draw.gameDate), draw.timezone || DEFAULT_ZONE);
  const { homeTeam, awayTeam, ticketPrice, prizePercentage, roundUpPrize, passStripeFees } = draw;
  return {
    ...local,
    homeTeam,
    awayTeam,
    ticketPrice,
    prizePercentage,
    roundUpPrize,
    passStripeFees,
    league: draw.league ?? '',
    timezone: draw.timezone || DEFAULT_ZONE,
    contactName: draw.contactName ?? '',
    contactPhone: draw.contactPhone ?? '',
  };
}

/** The last draw again, a week later. */
export function fieldsOfTemplate(template: DrawTemplate): DrawFields {
  const [date = '', time = DEFAULT_TIME] = template.gameDate.split('T');
  return {
    ...EMPTY_DRAW,
    ...template,
    league: template.league ?? '',
    date,
    time: time.slice(0, 5),
    contactName: template.contactName ?? '',
    contactPhone: template.contactPhone ?? '',
  };
}

/** Why a draw cannot be edited, or null (B:138). */
export function notEditable(draw: OwnDraw, nowMs: number): string | null {
  if (draw.editable === false && draw.notEditableReason) return draw.notEditableReason;
  if (draw.status !== 'active' && draw.status !== 'closed')
    return 'This draw cannot be edited because it is not active.';
  if (draw.status === 'closed' || Date.parse(draw.gameDate) <= nowMs) return C.gameAlreadyStarted;
  return null;
}
