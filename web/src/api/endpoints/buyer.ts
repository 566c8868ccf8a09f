/** API calls of the purchase, and of the draws, clubs and orders that the public pages show. */
import { get, post, put } from '@/api/http';
import type {
  Buyer,
  Club,
  ClubSummary,
  CompletionResponse,
  Config,
  Draw,
  FooterMenu,
  IntentResponse,
  OrderReminder,
  OrderResponse,
  Proof,
  Ticket,
} from '@/api/wire';

export const fetchConfig = () => get<Config>('/api/config');
export const fetchActiveDraws = () => get<Draw[]>('/api/draws/active');
export const fetchAwaitingDraws = () => get<Draw[]>('/api/draws/awaiting-results');
export const fetchCompletedDraws = () => get<Draw[]>('/api/draws/completed');
export const fetchDraw = (draw: number) => get<Draw>(`/api/draws/${draw}`);
export const fetchTickets = (draw: number) => get<Ticket[]>(`/api/draws/${draw}/tickets`);
export const fetchProof = (draw: number) => get<Proof>(`/api/public/draws/${draw}/proof`);
export const fetchPublicMaintenanceMode = () =>
  get<{ maintenanceMode: boolean }>('/api/maintenance-mode');
export const fetchClubs = () => get<ClubSummary[]>('/api/clubs/public-list');
export const fetchClub = (slug: string) => get<Club>(`/api/clubs/slug/${encodeURIComponent(slug)}`);
export const fetchFooterMenus = () => get<FooterMenu[]>('/api/footer-menus');
const orderPath = (token: string) => `/api/orders/${encodeURIComponent(token)}`;
export const fetchOrder = (token: string) => get<OrderResponse>(orderPath(token));

/** The address of the picture of an order's tickets in one draw. It contains the order's secret. */
export const ticketPicturePath = (token: string, draw: number) =>
  `${orderPath(token)}/picture/${draw}`;
export const fetchReminder = (token: string) => get<OrderReminder>(`${orderPath(token)}/reminder`);
export const setReminder = (token: string, wanted: boolean) =>
  put<OrderReminder>(`${orderPath(token)}/reminder`, { wanted });

export interface BuyerDetails {
  name: string;
  email: string;
  phone: string;
}

export interface PaymentIntentRequest {
  /**
   * The draw page and the checkout send `drawNumber`; a wallet sends `drawId`. Both hold the draw
   * number (decision A-1).
   */
  drawNumber?: number;
  drawId?: number;
  ticketCount: number;
  buyer?: Buyer;
  customerInfo?: BuyerDetails;
  clientKey: string;
  /**
   * Total in cents, as shown to the buyer. The server refuses to charge another amount (decision
   * C-3).
   */
  expectedAmount: number;
}

export const createPaymentIntent = (request: PaymentIntentRequest) =>
  post<IntentResponse>('/api/create-payment-intent', request);

export interface CartIntentRequest {
  items: {
    drawId: number;
    quantity: number;
    ticketPrice: string;
    passStripeFees: boolean;
    bundleId?: number;
  }[];
  clientKey: string;
  expectedAmount: number;
}

export const createCartIntent = (request: CartIntentRequest) =>
  post<IntentResponse>('/api/cart/create-payment-intent', request);

export interface PurchaseConsents {
  ageConfirmation: boolean;
  termsAgreement: boolean;
}

export const validatePurchase = (
  request: { drawNumber: number; ticketCount: number; buyer: Buyer } & PurchaseConsents,
) => post<{ valid: boolean; errors: string[] }>('/api/validate-purchase', request);

export const completeCardPayment = (
  done: {
    drawNumber: number;
    ticketCount: number;
    paymentIntentId: string;
    orderToken: string;
    buyer: Buyer;
  } & PurchaseConsents,
) => post<CompletionResponse>('/api/complete-card-payment', done);

/**
 * Asks the server to complete a payment whose outcome is unknown. The payment intent's id alone
 * identifies the order. Idempotent.
 */
export const completePaymentOfUnknownOutcome = (paymentIntentId: string) =>
  post<CompletionResponse>('/api/complete-card-payment', { paymentIntentId });

/**
 * Adds the contact details that a wallet did not supply. In an order with tickets the call changes
 * nothing else (decisions C-7, C-11).
 */
export const addContactDetails = (paymentIntentId: string, orderToken: string, buyer: Buyer) =>
  post<CompletionResponse>('/api/complete-card-payment', { paymentIntentId, orderToken, buyer });

/**
 * Completes the purchase of one draw's tickets. `keepalive` lets the browser finish the request
 * after the buyer leaves the page (specification line A:249).
 */
export const completeDrawPurchase = (
  done: {
    drawNumber: number;
    ticketCount: number;
    paymentIntentId: string;
    orderToken: string;
    buyer: Buyer;
    expectedAmount: number;
  } & PurchaseConsents,
) => post<CompletionResponse>('/api/purchase-tickets', done, { keepalive: true });

export const completeCartPurchase = (
  done: {
    items: CartIntentRequest['items'];
    paymentIntentId: string;
    orderToken: string;
    buyer: Buyer;
  } & PurchaseConsents,
) => post<CompletionResponse>('/api/purchase-cart', done, { keepalive: true });

/**
 * Asks the server to confirm the cart's payment with the given confirmation token. The bank may then
 * require authentication (decision C-5).
 */
export const completeCartCardPayment = (
  done: {
    items: CartIntentRequest['items'];
    buyer: Buyer;
    confirmationTokenId: string;
  } & PurchaseConsents,
) => post<CompletionResponse>('/api/cart/complete-card-payment', done);

export const processWalletPayment = (paid: {
  drawNumber: number;
  ticketCount: number;
  confirmationTokenId: string;
  customerInfo: BuyerDetails;
}) => post<CompletionResponse>('/api/process-wallet-payment', paid);

export const extendReservation = (reservation: string) =>
  post<{ expiresAt: string; serverTime: string | number; extensionsLeft: number }>(
    `/api/reservations/${encodeURIComponent(reservation)}/extend`,
    {},
  );

/** Releases the reservation's tickets. The response is ignored. */
export function releaseReservation(reservation: string): void {
  void fetch(`/api/reservations/${encodeURIComponent(reservation)}`, {
    method: 'DELETE',
    credentials: 'same-origin',
    keepalive: true,
  }).catch(() => {});
}

export const resendConfirmation = (paymentIntentId: string, orderToken: string) =>
  post<{ message?: string }>('/api/resend-confirmation', { paymentIntentId, orderToken });

export interface TermsDocument {
  title: string;
  version: string;
  text: string;
}

export const fetchTerms = () => get<TermsDocument>('/api/terms/sale');

/**
 * Sends diagnostics to the server and ignores the response. The server logs a few per minute, and
 * none during maintenance. Must not contain personal data or secrets. `stripeJsStep` names the call
 * of the payment library that threw an exception.
 */
export function sendDebugLog(
  level: 'info' | 'warn' | 'error',
  message: string,
  data: Record<string, string | number | boolean> = {},
  stripeJsStep?: string,
): void {
  void fetch('/api/debug-log', {
    method: 'POST',
    credentials: 'same-origin',
    keepalive: true,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ level, message, data, stripeJsStep }),
  }).catch(() => {});
}
