/**
 * Wraps `fetch`: turns error responses into `HttpError`, samples the server's clock and repeats
 * calls when the server is busy.
 */
import { takeClockSample, type ClockSample } from '@/shared/clock';
import { CACHED_COPY_HEADER } from '@/shared/offline';

interface ErrorBody {
  message?: string;
  code?: string;
  requestId?: string;
  [more: string]: unknown;
}

/**
 * An error response. `message` is `"{status}: {body or statusText}"` (specification line A:258).
 * The parsed body contains the message for the user.
 */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    body: string,
    statusText: string,
    readonly retryAfterMs: number | null,
  ) {
    super(`${status}: ${body || statusText}`);
    this.name = 'Problem';
    this.body = parseErrorBody(body);
  }

  readonly body: ErrorBody;

  get code(): string {
    return this.body.code ?? '';
  }
}

function parseErrorBody(body: string): ErrorBody {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? (parsed as ErrorBody) : {};
  } catch {
    return {};
  }
}

const serverTimeListeners = new Set<(newSample: ClockSample) => void>();

/**
 * Calls the listener with a clock sample for each response that carries the server's time. Returns
 * a function that unsubscribes.
 */
export function onServerTime(listener: (newSample: ClockSample) => void): () => void {
  serverTimeListeners.add(listener);
  return () => serverTimeListeners.delete(listener);
}

function reportServerTime(answer: Response, sentAt: number): void {
  const serverMs = Number(answer.headers.get('x-server-time'));
  if (serverMs > 0)
    for (const listener of serverTimeListeners)
      listener(takeClockSample(serverMs, sentAt, performance.now()));
}

const cachedResponses = new WeakSet<object>();

/**
 * Whether the service worker returned this response from its cache, so that it may be out of date.
 */
export const isCachedResponse = (answer: object): boolean => cachedResponses.has(answer);

function retryAfterHeaderMs(answer: Response): number | null {
  const seconds = Number(answer.headers.get('retry-after'));
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null;
}

async function sendRequest<Answer>(
  method: string,
  path: string,
  body?: unknown,
  init?: RequestInit,
): Promise<Answer> {
  const sentAt = performance.now();
  const answer = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers:
      body === undefined
        ? { accept: 'application/json' }
        : { accept: 'application/json', 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
    ...init,
  });
  reportServerTime(answer, sentAt);
  const text = await answer.text();
  if (!answer.ok)
    throw new HttpError(answer.status, text, answer.statusText, retryAfterHeaderMs(answer));
  const parsed: unknown = text ? JSON.parse(text) : undefined;
  if (answer.headers.has(CACHED_COPY_HEADER) && typeof parsed === 'object' && parsed !== null)
    cachedResponses.add(parsed);
  return parsed as Answer;
}

export const get = <Answer>(path: string, init?: RequestInit): Promise<Answer> =>
  sendRequest<Answer>('GET', path, undefined, init);

export const post = <Answer>(path: string, body: unknown, init?: RequestInit): Promise<Answer> =>
  sendRequest<Answer>('POST', path, body, init);

export const patch = <Answer>(path: string, body: unknown): Promise<Answer> =>
  sendRequest<Answer>('PATCH', path, body);

export const put = <Answer>(path: string, body: unknown): Promise<Answer> =>
  sendRequest<Answer>('PUT', path, body);

export const del = <Answer>(path: string, body?: unknown): Promise<Answer> =>
  sendRequest<Answer>('DELETE', path, body);

export interface DownloadedFile {
  name: string;
  content: Blob;
}

/** Downloads a file. The name comes from `Content-Disposition`, or is `fallbackName`. */
export async function download(path: string, fallbackName: string): Promise<DownloadedFile> {
  const answer = await fetch(path, { method: 'GET', credentials: 'same-origin' });
  if (!answer.ok)
    throw new HttpError(
      answer.status,
      await answer.text(),
      answer.statusText,
      retryAfterHeaderMs(answer),
    );
  const named = /filename="?([^";]+)"?/.exec(answer.headers.get('content-disposition') ?? '');
  return { name: named?.[1] ?? fallbackName, content: await answer.blob() };
}

const REQUEST_ATTEMPTS_MAX = 3;
const RETRY_PAUSE_MS_MAX = 8_000;

/**
 * Repeats a call while the server is busy (429 or 503, but not maintenance), at most three
 * attempts. The call must be a read or idempotent. The pause follows `Retry-After`, up to eight
 * seconds.
 */
export async function withRetry<Answer>(
  ask: () => Promise<Answer>,
  onBusy: () => void = () => {},
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      const busy =
        error instanceof HttpError &&
        (error.status === 429 || error.status === 503) &&
        error.code !== 'maintenance';
      if (!busy || attempt === REQUEST_ATTEMPTS_MAX) throw error;
      onBusy();
      const pause = Math.min(RETRY_PAUSE_MS_MAX, error.retryAfterMs ?? 500 * 2 ** attempt);
      await new Promise((resolve) => setTimeout(resolve, pause + Math.random() * 250));
    }
  }
}
