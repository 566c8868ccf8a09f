import { onlineManager } from '@tanstack/react-query';
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { clearQueriesAtom } from '@/api/query-client-atoms';
import { liveConnectionAtom, topicLastContactAtom } from '@/features/shared-live/live-atoms';
import { makeUser } from '@/testing/club-data';
import { FakeServer, holdResponses } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { sessionExpiredAtom, signInAtom } from '../session/session-atoms';
import { whoamiOf } from '../session/user';
import { cacheResponseAtom, markPathsChangedAtom } from './query-atoms';
import { useQuery } from './use-query';

afterEach(() => vi.useRealTimers());

const PATH = '/api/clubs/1/stats';
const CALL = `GET ${PATH}`;
type Options = Parameters<typeof useQuery>[1];

function Reader({ path = PATH, ...options }: { path?: string | null } & Options) {
  const { data, problem, retry } = useQuery<{ sold: number }>(path, options);
  const [retried, setRetried] = useState('');
  return (
    <div data-testid="reader">
      {`${data?.sold ?? 'none'} ${problem ? 'failed' : 'fine'}${retried}`}
      <button onClick={() => void retry().then((ok) => setRetried(` ${ok}`))}>Retry</button>
    </div>
  );
}

/** Shows a reader after a press, so that it mounts later than the others. */
function LateReader(options: Options) {
  const [open, setOpen] = useState(false);
  return open ? <Reader {...options} /> : <button onClick={() => setOpen(true)}>Open</button>;
}

const shown = () =>
  screen.getAllByTestId('reader').map((reader) => reader.firstChild?.textContent ?? '');
const expectShown = (...texts: string[]) => waitFor(() => expect(shown()).toEqual(texts));

test('readers of one path share one request, and no path sends none', async () => {
  const server = new FakeServer().on(CALL, { body: { sold: 1 } });
  renderScreen(
    <>
      <Reader />
      <Reader />
      <Reader path={null} />
    </>,
  );
  await expectShown('1 fine', '1 fine', 'none fine');
  expect(server.paths()).toEqual([CALL]);
});

test('polls pause while socket messages arrive and continue when they stop', async () => {
  vi.useFakeTimers();
  const server = new FakeServer().on(CALL, { body: { sold: 1 } });
  const { store } = renderScreen(<Reader intervalMs={10_000} topic="draws" />);
  await act(() => vi.advanceTimersByTimeAsync(100));
  act(() => {
    store.set(liveConnectionAtom, { open: true, lastContactAt: performance.now() });
    store.set(topicLastContactAtom, { draws: performance.now() });
  });
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(server.paths()).toHaveLength(1);
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(server.paths()).toHaveLength(2);
});

test('a marked path is requested again; a failure keeps the data and a retry reports success', async () => {
  new FakeServer().on(CALL, { body: { sold: 1 } }, { status: 500 }, { body: { sold: 2 } });
  const { store } = renderScreen(<Reader />);
  await expectShown('1 fine');
  act(() => store.set(markPathsChangedAtom, PATH));
  await expectShown('1 failed');
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await expectShown('2 fine true');
});

test('a failed retry reports the failure, and no request is repeated by itself', async () => {
  const server = new FakeServer().on(CALL, { status: 500 });
  renderScreen(<Reader />);
  await expectShown('none failed');
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await expectShown('none failed false');
  expect(server.paths()).toEqual([CALL, CALL]);
});

test('without a network the request fails and says so', async () => {
  new FakeServer().on(CALL, new TypeError('Failed to fetch'));
  onlineManager.setOnline(false);
  try {
    renderScreen(<Reader />);
    await expectShown('none failed');
  } finally {
    onlineManager.setOnline(true);
  }
});

test.each([
  [true, true],
  [false, false],
])('an ended session opens the login: %s', async (opensLogin, expired) => {
  new FakeServer().on(CALL, { status: 401 });
  const { store } = renderScreen(<Reader opensLogin={opensLogin} />);
  await expectShown('none failed');
  expect(store.get(sessionExpiredAtom)).toBe(expired);
});

test('a login repeats the shown requests', async () => {
  new FakeServer().on(CALL, { body: { sold: 1 } }, { body: { sold: 2 } });
  const { store } = renderScreen(<Reader />);
  await expectShown('1 fine');
  act(() => store.set(signInAtom, whoamiOf(makeUser())));
  await expectShown('2 fine');
});

test('after a login, an old error does not open the login again', async () => {
  const server = new FakeServer().on(CALL, { status: 401 });
  const { store } = renderScreen(
    <>
      <Reader opensLogin={false} />
      <LateReader />
    </>,
  );
  await expectShown('none failed');
  act(() => store.set(cacheResponseAtom, PATH, { sold: 1 }));
  act(() => store.set(markPathsChangedAtom, PATH));
  await expectShown('1 failed');
  server.on(CALL, { body: { sold: 2 } });
  const release = holdResponses();
  await userEvent.click(screen.getByRole('button', { name: 'Open' }));
  expect([shown()[1], store.get(sessionExpiredAtom)]).toEqual(['1 fine', false]);
  act(() => store.set(signInAtom, whoamiOf(makeUser())));
  release();
  await expectShown('2 fine', '2 fine');
  expect(store.get(sessionExpiredAtom)).toBe(false);
});

test('a stored response is shown, and an older response does not undo it', async () => {
  new FakeServer().on(CALL, { body: { sold: 1 } });
  const { store } = renderScreen(<Reader />);
  await expectShown('1 fine');
  const release = holdResponses();
  act(() => store.set(markPathsChangedAtom, PATH));
  act(() => store.set(cacheResponseAtom, PATH, { sold: 5 }));
  await act(async () => release());
  await expectShown('5 fine');
});

test('clearing removes the shown data, drops running responses and sends no request', async () => {
  const server = new FakeServer().on(CALL, { body: { sold: 1 } });
  const { store } = renderScreen(<Reader />);
  await expectShown('1 fine');
  const release = holdResponses();
  act(() => store.set(markPathsChangedAtom, PATH));
  act(() => store.set(clearQueriesAtom));
  await expectShown('none fine');
  await act(async () => release());
  expect([shown(), server.paths()]).toEqual([['none fine'], [CALL, CALL]]);
});
