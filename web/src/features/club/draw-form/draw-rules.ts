/** Draw form: field values, validation with the specified messages, and the request body. */
import type { DrawTemplate, DrawRequest, OwnDraw } from '@/api/wire-club';
import { decimalToCents } from '@/shared/money';
import { REASON_REQUIRED_TEXT } from '@/shared/reason-required';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import type { FormProblem } from '@/shared/ui/problem-list';
import { DEFAULT_KICK_OFF_TIME, DEFAULT_TIME_ZONE, localTimeInZone } from './local-time';

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

/** Contact for buyers; public on the draw's page (decision E-18). */
export type DrawContact = Pick<DrawFields, 'contactName' | 'contactPhone'>;

export const EMPTY_DRAW_FIELDS: DrawFields = {
  league: '',
  homeTeam: '',
  awayTeam: '',
  date: '',
  time: DEFAULT_KICK_OFF_TIME,
  timezone: DEFAULT_TIME_ZONE,
  ticketPrice: '5.00',
  prizePercentage: 50,
  roundUpPrize: false,
  passStripeFees: false,
  contactName: '',
  contactPhone: '',
};

export const NEW_DRAW_PRIZE_PERCENTAGES = [40, 45, 50, 55, 60, 65, 70] as const;
const EDITED_DRAW_PRIZE_PERCENTAGES = [40, 50, 60, 70];

const prizePercentagesWithCurrent = (choices: readonly number[], current: number): number[] =>
  [...new Set([...choices, current])].sort((one, other) => one - other);

/**
 * Prize percentages of the create form, plus the draw's current percentage when it differs. Without
 * it, the select would show another value than the one sent (decision D-10).
 */
export const newDrawPrizePercentages = (current: number): number[] =>
  prizePercentagesWithCurrent(NEW_DRAW_PRIZE_PERCENTAGES, current);
export const editedDrawPrizePercentages = (current: number): number[] =>
  prizePercentagesWithCurrent(EDITED_DRAW_PRIZE_PERCENTAGES, current);

/** Removes characters that a phone number cannot contain (specification line B:156). */
export const sanitisePhoneInput = (typed: string): string => typed.replace(/[^\d+()\-\s]/g, '');

export const drawFieldId = (field: string): string =>
  `draw-${{ gameDate: 'date', gameTime: 'time' }[field] ?? field}`;

type DrawFieldRule = readonly [field: keyof DrawFields, holds: boolean, text: string];
const problemsOfBrokenRules = (rules: readonly DrawFieldRule[]): FormProblem[] =>
  rules
    .filter(([, holds]) => !holds)
    .map(([field, , text]) => ({ field: drawFieldId(field), text }));
const isFilled = (text: string) => text.trim() !== '';
const isPrice = (text: string) => /^\d+(\.\d{1,2})?$/.test(text.trim());

const contactRules = ({ contactName, contactPhone }: DrawContact): DrawFieldRule[] => [
  ['contactName', isFilled(contactName), C.contactNameRequired],
  ['contactPhone', isFilled(contactPhone), C.contactPhoneRequired],
];

/** Validates the contact. For a season, the server validates the other fields. */
export const contactProblems = (contact: DrawContact): FormProblem[] =>
  problemsOfBrokenRules(contactRules(contact));

/**
 * Validates a new draw. The input accepts a price of 0 (specification line B:156); the server
 * rejects it with the same message (decision C-23).
 */
export function newDrawProblems(fields: DrawFields): FormProblem[] {
  return problemsOfBrokenRules([
    ['homeTeam', isFilled(fields.homeTeam), C.homeTeamRequired],
    ['awayTeam', isFilled(fields.awayTeam), C.awayTeamRequired],
    ['date', isFilled(fields.date), C.gameDateRequired],
    ['ticketPrice', isPrice(fields.ticketPrice), C.ticketPriceRequired],
    ...contactRules(fields),
  ]);
}

/**
 * Validates a changed draw: also requires time, zone and a price of at least one cent
 * (specification line B:157).
 */
export function editedDrawProblems(fields: DrawFields): FormProblem[] {
  return problemsOfBrokenRules([
    ['homeTeam', isFilled(fields.homeTeam), C.homeTeamRequired],
    ['awayTeam', isFilled(fields.awayTeam), C.awayTeamRequired],
    ['date', isFilled(fields.date), C.gameDateRequired],
    ['time', isFilled(fields.time), C.gameTimeRequired],
    ['timezone', isFilled(fields.timezone), C.timezoneRequired],
    [
      'ticketPrice',
      isPrice(fields.ticketPrice) && decimalToCents(fields.ticketPrice) >= 1,
      C.ticketPriceRequired,
    ],
    ...contactRules(fields),
  ]);
}

/** Validates the operator's reason, with the console's message (decision E-9). */
export const reasonProblems = (reason: string): FormProblem[] =>
  isFilled(reason) ? [] : [{ field: drawFieldId('reason'), text: REASON_REQUIRED_TEXT }];

/**
 * Builds the part of the request that both forms send. Date and time are local to the draw's zone.
 */
function baseDrawRequest(fields: DrawFields): DrawRequest {
  return {
    league: fields.league.trim() || null,
    homeTeam: fields.homeTeam.trim(),
    awayTeam: fields.awayTeam.trim(),
    gameDate: `${fields.date}T${fields.time || DEFAULT_KICK_OFF_TIME}`,
    timezone: fields.timezone || DEFAULT_TIME_ZONE,
    contactName: fields.contactName.trim(),
    contactPhone: fields.contactPhone.trim(),
  };
}

const normalisedPrice = (typed: string): string => {
  const [whole = '0', part = ''] = typed.trim().split('.');
  return `${whole}.${part.padEnd(2, '0')}`;
};

export const toCreateDrawRequest = (fields: DrawFields): DrawRequest => ({
  ...baseDrawRequest(fields),
  ticketPrice: normalisedPrice(fields.ticketPrice),
  prizePercentage: fields.prizePercentage,
  passStripeFees: fields.passStripeFees,
  roundUpPrize: fields.roundUpPrize,
});

/**
 * Builds a change request. Price, percentage and rounding are sent only before the first sale
 * (specification line B:199).
 */
export function toEditDrawRequest(fields: DrawFields, locked: boolean): DrawRequest {
  return locked
    ? baseDrawRequest(fields)
    : {
        ...baseDrawRequest(fields),
        ticketPrice: normalisedPrice(fields.ticketPrice),
        prizePercentage: fields.prizePercentage,
        roundUpPrize: fields.roundUpPrize,
      };
}

export function fieldsOfDraw(draw: OwnDraw): DrawFields {
  const local = localTimeInZone(Date.parse(draw.gameDate), draw.timezone || DEFAULT_TIME_ZONE);
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
    timezone: draw.timezone || DEFAULT_TIME_ZONE,
    contactName: draw.contactName ?? '',
    contactPhone: draw.contactPhone ?? '',
  };
}

/** Converts the server's template, which is the last draw moved one week later, to form values. */
export function fieldsOfTemplate(template: DrawTemplate): DrawFields {
  const [date = '', time = DEFAULT_KICK_OFF_TIME] = template.gameDate.split('T');
  return {
    ...EMPTY_DRAW_FIELDS,
    ...template,
    league: template.league ?? '',
    date,
    time: time.slice(0, 5),
    contactName: template.contactName ?? '',
    contactPhone: template.contactPhone ?? '',
  };
}

/** Returns why a draw cannot be edited, or null (specification line B:234). */
export function notEditableReason(draw: OwnDraw, nowMs: number): string | null {
  if (draw.editable === false && draw.notEditableReason) return draw.notEditableReason;
  if (draw.status !== 'active' && draw.status !== 'closed')
    return 'This draw cannot be edited because it is not active.';
  if (draw.status === 'closed' || Date.parse(draw.gameDate) <= nowMs) return C.gameAlreadyStarted;
  return null;
}
