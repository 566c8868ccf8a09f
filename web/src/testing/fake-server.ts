/** A fake server for unit tests. Responds by method and path, and records every request. */
import { vi } from 'vitest';

type FakeResponse = { status?: number; body?: unknown; headers?: Record<string, string> } | Error;
type RecordedRequest = { method: string; path: string; body: unknown };

export class FakeServer {
  readonly requests: RecordedRequest[] = [];
  private readonly responses = new Map<string, FakeResponse[]>();
  private otherwise: (path: string, method: string) => FakeResponse | null = () => null;

  constructor() {
    vi.stubGlobal('fetch', (path: string, init: RequestInit = {}) => this.respond(path, init));
  }

  /**
   * Sets the responses to a request such as `"GET /api/config"`. Several responses are given one
   * after another, and the last one repeats.
   */
  on(what: string, ...responses: FakeResponse[]): this {
    this.responses.set(what, responses);
    return this;
  }

  /** Sets the response to all other requests. Null means 404. */
  fallback(otherwise: (path: string, method: string) => FakeResponse | null): this {
    this.otherwise = otherwise;
    return this;
  }

  paths(): string[] {
    return this.requests.map(({ method, path }) => `${method} ${path}`);
  }

  private async respond(path: string, init: RequestInit): Promise<Response> {
    const method = init.method ?? 'GET';
    this.requests.push({
      method,
      path,
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
    });
    const responses = this.responses.get(`${method} ${path}`);
    const next = responses && responses.length > 1 ? responses.shift() : responses?.[0];
    if (next instanceof Error) throw next;
    const other = next ? null : this.otherwise(path, method);
    if (other instanceof Error) throw other;
    const {
      status = 200,
      body = {},
      headers = {},
    } = next ?? other ?? { status: 404, body: { message: `no answer for ${method} ${path}` } };
    return new Response(status === 204 ? null : JSON.stringify(body), { status, headers });
  }
}

/**
 * Holds back each following response until the returned function is called. The fake server still
 * records the requests at once.
 */
export function holdResponses(): () => void {
  const respond = globalThis.fetch;
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    const response = await respond(path, init);
    await released;
    return response;
  });
  return release;
}
