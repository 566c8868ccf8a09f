import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { liveConnectionAtom, recordResponseTimeAtom } from '@/features/shared-live/live-atoms';
import { makeDraw } from '@/testing/draw-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { BuyPanel } from './buy-panel';

const OFFLINE_TEXT = "You are offline – tickets can't be bought";
const draw = makeDraw({ gameDate: '2099-01-01T00:00:00Z' });

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Makes the browser report that it is online or offline. */
function setOnline(up: boolean): void {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(up);
  act(() => void window.dispatchEvent(new Event(up ? 'online' : 'offline')));
}

const payButton = () => screen.getByRole('button', { name: /^Purchase Tickets - / });

test('offline the payment panel says that nothing can be bought, and a press sends no request', () => {
  const server = new FakeServer();
  renderScreen(<BuyPanel draw={draw} phase="active" />);
  fireEvent.click(screen.getByRole('checkbox', { name: 'Confirm both' }));
  expect(screen.queryByText(OFFLINE_TEXT)).toBeNull();
  expect(payButton().getAttribute('aria-disabled')).toBeNull();
  setOnline(false);
  expect(screen.getByText(OFFLINE_TEXT, { selector: 'strong' })).toBeDefined();
  expect(screen.getByRole('button', { name: OFFLINE_TEXT }).className).toContain('wallet-wait');
  expect(payButton().getAttribute('aria-disabled')).toBe('true');
  fireEvent.click(payButton());
  expect(screen.queryByText('There is a problem')).toBeNull();
  expect(server.paths()).toEqual([]);
  setOnline(true);
  expect(screen.queryByText(OFFLINE_TEXT)).toBeNull();
  expect(payButton().getAttribute('aria-disabled')).toBeNull();
});

test('a cached page says so until the server answers, whatever the browser reports', () => {
  const { store } = renderScreen(<BuyPanel draw={draw} phase="active" />);
  act(() => store.set(liveConnectionAtom, { open: false, lastContactAt: -60_000 }));
  expect(screen.getByText(OFFLINE_TEXT, { selector: 'strong' }).parentElement?.textContent).toMatch(
    /Last update: .+\d:\d\d/,
  );
  act(() => store.set(recordResponseTimeAtom));
  expect(screen.queryByText(OFFLINE_TEXT)).toBeNull();
});
