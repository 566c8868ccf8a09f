/**
 * The shapes on the wire, under the names the screens use; `generated/schema.ts` is written from the server's own description of its calls.
 * Money is a decimal string unless the name ends in `Cents` or says cents.
 */
import type { Club, Draw, DrawNow, Order, PublicConfig, PublicNow } from './generated/schema';

export type Config = PublicConfig;

export type {
  ClubSummary,
  Club,
  Draw,
  FooterMenu,
  Order as OrderResponse,
  OrderLine,
  OpenedPayment as IntentResponse,
  Proof,
  PublicNow as PublicNews,
  PurchaseResult as CompletionResponse,
  Ticket,
  Widget,
} from './generated/schema';

/** What a frame says of a draw; everything in it may change while somebody looks. */
export type DrawUpdate = DrawNow;

interface FrameOf<Type extends string, Data> {
  v: number;
  topic: string;
  seq: number;
  serverNow: number;
  type: Type;
  data: Data;
}

export type Frame =
  | FrameOf<'draw', DrawNow>
  | FrameOf<'draws', DrawNow[]>
  | FrameOf<'public', PublicNow>
  | FrameOf<'order', Order>
  | FrameOf<'ops', unknown>
  | FrameOf<'heartbeat', unknown>;

/** What the server puts into the page for the first render. */
export interface Boot {
  config?: Config;
  maintenanceMode?: boolean;
  draw?: Draw | null;
  draws?: Draw[];
  club?: Club | null;
  order?: Order | null;
  now?: number;
}

/** A buyer's own ticket, as a completion call and as an order tell it. */
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
