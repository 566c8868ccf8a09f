/**
 * Renders the operator's console in a unit test. The fake server responds successfully unless a
 * test overrides the response.
 */
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect } from 'vitest';
import { Console } from '@/features/operator/console/console';
import type { SectionKey } from '@/features/operator/console/sections';
import { FakeServer } from './fake-server';
import { makeConsoleResponses } from './operator-data';
import { renderScreen } from './render-screen';

type StubbedResponse = Parameters<FakeServer['on']>[1];

export const NOW = Date.parse('2026-11-21T03:00:00Z');

/**
 * Starts a fake server with successful responses. `more` overrides them. An array of responses is
 * given one after another.
 */
export function startConsoleServer(
  more: Record<string, StubbedResponse | StubbedResponse[]> = {},
): FakeServer {
  const server = new FakeServer();
  for (const [what, body] of Object.entries(makeConsoleResponses(NOW))) server.on(what, { body });
  for (const [what, response] of Object.entries(more))
    server.on(what, ...(Array.isArray(response) ? response : [response]));
  // Gives every audited object the same empty audit trail.
  server.fallback((path) =>
    path.startsWith('/api/admin/audit')
      ? {
          body: {
            entries: [],
            next: null,
            total: 0,
            chain: { verified: true, length: 0, head: '', brokenAt: null },
          },
        }
      : null,
  );
  return server;
}

export function openConsole(section: SectionKey, query = '') {
  return renderScreen(<Console />, `/super-admin?section=${section}${query}`);
}

export const pressButton = async (name: string | RegExp, inside?: HTMLElement) =>
  userEvent.click(
    (await (inside ? within(inside) : screen).findAllByRole('button', { name }))[0] as HTMLElement,
  );

/** Waits for a toast with this title and text. */
export async function expectToast(title: string, text = ''): Promise<void> {
  const toast = await screen.findByText(title, { selector: '.toast strong' });
  expect(toast.parentElement?.querySelector('p')?.textContent ?? '').toBe(text);
}

export const refusalResponse = (
  status: number,
  message: string,
  code = 'refused',
  more: object = {},
): StubbedResponse => ({ status, body: { message, code, requestId: 'r1', ...more } });
/** Response to a call that needs a fresh proof of identity. */
export const reauthenticationRequiredResponse: StubbedResponse = refusalResponse(
  403,
  'Confirm it is you to go on.',
  'reauthentication-required',
);
