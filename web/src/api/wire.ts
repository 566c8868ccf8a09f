/**
 * Wire types under the names that the screens use. `generated/schema.ts` is generated from the
 * server's OpenAPI document. Money is a decimal string in dollars, or a number of cents.
 */
import type { Club, Draw, DrawNow, Order, PublicConfig, PublicNow } from './generated/schema';

export type Config = PublicConfig;

export type {
  ClubSummary,
  Club,
  Draw,
  FooterMenu,
  Order as OrderResponse,
  OrderReminder,
  OrderLine,
  OpenedPayment as IntentResponse,
  Proof,
  PublicNow as PublicNews,
  PurchaseResult as CompletionResponse,
  Ticket,
  Widget,
} from './generated/schema';

/** The part of a draw that a socket frame updates while a page is open. */
export type DrawUpdate = DrawNow;

interface TypedFrame<Type extends string, Data> {
  v: number;
  topic: string;
  seq: number;
  serverNow: number;
  type: Type;
  data: Data;
}

export type Frame =
  | TypedFrame<'draw', DrawNow>
  | TypedFrame<'draws', DrawNow[]>
  | TypedFrame<'public', PublicNow>
  | TypedFrame<'order', Order>
  | TypedFrame<'ops', unknown>
  | TypedFrame<'heartbeat', unknown>;

/** Data that the server embeds in the page for the first render. */
export interface BootData {
  config?: Config;
  maintenanceMode?: boolean;
  draw?: Draw | null;
  draws?: Draw[];
  club?: Club | null;
  order?: Order | null;
  now?: number;
}

/** A buyer's own ticket, as returned with an order or by a completed purchase. */
export interface OwnTicket {
  ticketNumber: number;
  serialNumber: string;
  drawNumber?: number;
  homeNumber: number;
  awayNumber: number;
  isWinner?: boolean | null;
}

export interface Buyer {
  buyerName: string;
  buyerEmail: string;
  buyerPhone: string;
}
