import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { clearQueriesAtom, queryClientAtom } from '@/api/query-client-atoms';
import {
  liveConnectionAtom,
  topicDataAtom,
  topicLastContactAtom,
} from '@/features/shared-live/live-atoms';
import { FakeServer, holdResponses } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { useLogout } from '../session/use-logout';
import { sessionExpiredAtom } from '../session/session-atoms';
import { consoleQueryKey } from './query-atoms';
import { QueryPoller, useQuery, useRefetchQueries, useSetQueryData } from './use-query';

afterEach(() => vi.useRealTimers());

const WAITLIST_CALL = 'GET /api/admin/waitlist';
const entry = (id: number) => ({ id, clubName: `Club ${id}` });

/** Shows the cached waitlist and offers what a section offers. */
function Waitlist() {
  const { data, error, refetch } = useQuery('waitlist');
  const setQueryData = useSetQueryData();
  const refetchQueries = useRefetchQueries();
  const logout = useLogout();
  return (
    <>
      <p data-testid="shown">{data ? data.map(({ clubName }) => clubName).join(', ') : 'none'}</p>
      {error ? <p role="alert">{error.message}</p> : null}
      <button onClick={() => void refetch().catch(() => {})}>Try again</button>
      <button onClick={() => void refetchQueries('waitlist', 'clubs')}>Refetch</button>
      <button
        onClick={() => setQueryData('waitlist', (list) => list?.filter(({ id }) => id !== 1))}
      >
        Remove
      </button>
      <button onClick={() => void logout()}>Logout</button>
    </>
  );
}

const openWaitlist = () =>
  renderScreen(
    <>
      <QueryPoller name="waitlist" />
      <Waitlist />
    </>,
  );
const shown = () => screen.getByTestId('shown').textContent;
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
const countCalls = (server: FakeServer) =>
  server.paths().filter((call) => call === WAITLIST_CALL).length;

test('readers share the poller’s request, and an announced change repeats it', async () => {
  const server = new FakeServer().on(WAITLIST_CALL, { body: [entry(1)] }, { body: [entry(2)] });
  const { store } = openWaitlist();
  await waitFor(() => expect(shown()).toBe('Club 1'));
  expect(countCalls(server)).toBe(1);
  act(() => store.set(topicDataAtom('ops'), { revisions: { waitlist: 7 } }));
  expect(countCalls(server)).toBe(1);
  act(() => store.set(topicDataAtom('ops'), { revisions: { waitlist: 8 } }));
  await waitFor(() => expect(shown()).toBe('Club 2'));
  expect(countCalls(server)).toBe(2);
});

test('a reader without a poller sends no request', async () => {
  const server = new FakeServer();
  renderScreen(<Waitlist />);
  expect(shown()).toBe('none');
  expect(server.paths()).toEqual([]);
});

test('polls pause while socket messages arrive and continue when they stop', async () => {
  vi.useFakeTimers();
  const server = new FakeServer().on(WAITLIST_CALL, { body: [entry(1)] });
  const { store } = openWaitlist();
  await act(() => vi.advanceTimersByTimeAsync(100));
  expect(countCalls(server)).toBe(1);
  act(() => {
    store.set(liveConnectionAtom, { open: true, lastContactAt: performance.now() });
    store.set(topicLastContactAtom, { ops: performance.now() });
  });
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(countCalls(server)).toBe(1);
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(countCalls(server)).toBe(2);
});

test('the error of a first request stays while the request is repeated', async () => {
  new FakeServer().on(WAITLIST_CALL, { status: 500 }, { body: [entry(1)] });
  openWaitlist();
  await screen.findByRole('alert');
  const release = holdResponses();
  await press('Try again');
  expect(screen.getByRole('alert').textContent).toContain('500');
  release();
  await waitFor(() => expect(shown()).toBe('Club 1'));
  expect(screen.queryByRole('alert')).toBeNull();
});

test('a failed repetition keeps the data and records the ended session', async () => {
  new FakeServer().on(WAITLIST_CALL, { body: [entry(1)] }, { status: 401 });
  const { store } = openWaitlist();
  await waitFor(() => expect(shown()).toBe('Club 1'));
  await press('Try again');
  await waitFor(() => expect(store.get(sessionExpiredAtom)).toBe(true));
  expect([shown(), screen.getByRole('alert').textContent]).toEqual([
    'Club 1',
    expect.stringContaining('401'),
  ]);
});

test('a write replaces the data, and an older response does not undo it', async () => {
  const both = [entry(1), entry(2)];
  const server = new FakeServer().on(WAITLIST_CALL, { body: both });
  const { store } = openWaitlist();
  await waitFor(() => expect(shown()).toBe('Club 1, Club 2'));
  const release = holdResponses();
  await press('Try again');
  await press('Remove');
  await waitFor(() => expect(shown()).toBe('Club 2'));
  const contactBefore = store.get(liveConnectionAtom).lastContactAt;
  release();
  await waitFor(() => expect(store.get(liveConnectionAtom).lastContactAt).not.toBe(contactBefore));
  expect([shown(), countCalls(server)]).toEqual(['Club 2', 2]);
});

test('a repetition after a write requests the shown queries only', async () => {
  const server = new FakeServer().on(WAITLIST_CALL, { body: [entry(1)] }, { body: [entry(2)] });
  openWaitlist();
  await waitFor(() => expect(shown()).toBe('Club 1'));
  await press('Refetch');
  await waitFor(() => expect(shown()).toBe('Club 2'));
  expect(server.paths()).toEqual([WAITLIST_CALL, WAITLIST_CALL]);
});

test('a logout clears the data without another request', async () => {
  const server = new FakeServer()
    .on(WAITLIST_CALL, { body: [entry(1)] })
    .on('POST /api/admin/logout', { status: 204 });
  const { store } = openWaitlist();
  await waitFor(() => expect(shown()).toBe('Club 1'));
  await press('Logout');
  await waitFor(() => expect(window.location.pathname).toBe('/admin/login'));
  expect(shown()).toBe('none');
  expect(store.get(queryClientAtom).getQueryData(consoleQueryKey('waitlist'))).toBeUndefined();
  expect(countCalls(server)).toBe(1);
});

test('a response that arrives after the clearing is dropped', async () => {
  new FakeServer().on(WAITLIST_CALL, { body: [entry(1)] });
  const release = holdResponses();
  const { store } = openWaitlist();
  act(() => store.set(clearQueriesAtom));
  await act(async () => release());
  expect(shown()).toBe('none');
});
