/** Stands in for the server in unit tests: answers by method and path, remembers what was asked. */
import { vi } from 'vitest';

type FakeResponse = { status?: number; body?: unknown; headers?: Record<string, string> } | Error;
type RecordedRequest = { method: string; path: string; body: unknown };

export class FakeServer {
  readonly requests: RecordedRequest[] = [];
  private readonly answers = new Map<string, FakeResponse[]>();
  private otherwise: (path: string, method: string) => FakeResponse | null = () => null;

  constructor() {
    vi.stubGlobal('fetch', (path: string, init: RequestInit = {}) => this.answer(path, init));
  }

  /** Answers `"GET /api/config"`; several answers are given in turn, the last one for ever. */
  on(what: string, ...answers: FakeResponse[]): this {
    this.answers.set(what, answers);
    return this;
  }

  /** Answers whatever else is asked, as far as it can. */
  rest(otherwise: (path: string, method: string) => FakeResponse | null): this {
    this.otherwise = otherwise;
    return this;
  }

  paths(): string[] {
    return this.requests.map(({ method, path }) => `${method} ${path}`);
  }

  private async answer(path: string, init: RequestInit): Promise<Response> {
    const method = init.method ?? 'GET';
    this.requests.push({
      method,
      path,
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
    });
    const answers = this.answers.get(`${method} ${path}`);
    const next = answers && answers.length > 1 ? answers.shift() : answers?.[0];
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
