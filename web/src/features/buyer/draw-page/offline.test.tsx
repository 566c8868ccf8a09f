import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { connectionAtom, noteAnswerAtom } from '@/features/shared-live/live-atoms';
import { aDraw } from '@/testing/a-draw';
import { FakeServer } from '@/testing/fake-server';
import { show } from '@/testing/show';
import { BuyPanel } from './buy-panel';

const WORDS = "You are offline – tickets can't be bought";
const draw = aDraw({ gameDate: '2099-01-01T00:00:00Z' });

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Makes the browser report that it is online or offline. */
function line(up: boolean): void {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(up);
  act(() => void window.dispatchEvent(new Event(up ? 'online' : 'offline')));
}

const payButton = () => screen.getByRole('button', { name: /^Purchase Tickets - / });

test('offline the payment panel says that nothing can be bought, and a press sends no request', () => {
  const server = new FakeServer();
  show(<BuyPanel draw={draw} phase="active" />);
  for (const box of screen.getAllByRole('checkbox')) fireEvent.click(box);
  expect(screen.queryByText(WORDS)).toBeNull();
  expect(payButton().getAttribute('aria-disabled')).toBeNull();
  line(false);
  expect(screen.getByText(WORDS, { selector: 'strong' })).toBeDefined();
  expect(screen.getByRole('button', { name: WORDS }).className).toContain('wallet-wait');
  expect(payButton().getAttribute('aria-disabled')).toBe('true');
  fireEvent.click(payButton());
  expect(screen.queryByText('There is a problem')).toBeNull();
  expect(server.paths()).toEqual([]);
  line(true);
  expect(screen.queryByText(WORDS)).toBeNull();
  expect(payButton().getAttribute('aria-disabled')).toBeNull();
});

test('a cached page says so until the server answers, whatever the browser reports', () => {
  const { store } = show(<BuyPanel draw={draw} phase="active" />);
  act(() => store.set(connectionAtom, { open: false, heardAt: -60_000 }));
  expect(screen.getByText(WORDS, { selector: 'strong' }).parentElement?.textContent).toMatch(
    /Last update: .+\d:\d\d/,
  );
  act(() => store.set(noteAnswerAtom));
  expect(screen.queryByText(WORDS)).toBeNull();
});
