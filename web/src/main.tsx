/**
 * Starts the app on the server-rendered page. The server's markup stays until the page's code has
 * loaded.
 */
import { createStore } from 'jotai';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { fetchConfig } from '@/api/endpoints/buyer';
import type { BootData } from '@/api/wire';
import { takeClockSample, addClockSample, UNKNOWN_CLOCK } from '@/shared/clock';
import {
  serverClockAtom,
  configAtom,
  liveConnectionAtom,
  liveStateAtom,
} from '@/features/shared-live/live-atoms';
import { liveStateOfBoot } from '@/features/shared-live/live';
import { pageBootDataAtom } from '@/features/shared-live/boot-atoms';
import { registerOfflineWorker } from '@/offline/registration';
import { isCachedCopy } from '@/shared/offline';
import { App } from '@/app/app';
import { loadPage, matchRoute } from '@/app/routes';

// In a production build the server inlines the font faces with critical.css.
if (process.env.NODE_ENV !== 'production') void import('@/shared/ui/font-faces.css');

function readBootData(): BootData {
  try {
    return JSON.parse(document.getElementById('boot')?.textContent ?? '{}') as BootData;
  } catch {
    return {};
  }
}

function createSeededStore(boot: BootData) {
  const store = createStore();
  const navigation = performance.getEntriesByType('navigation')[0] as
    PerformanceNavigationTiming | undefined;
  // A cached page carries the time of its creation, which is the last contact with the server.
  if (isCachedCopy())
    store.set(liveConnectionAtom, {
      open: false,
      lastContactAt: Math.min(-1, (boot.now ?? 0) - performance.timeOrigin),
    });
  else if (boot.now && navigation && navigation.responseStart > 0) {
    store.set(
      serverClockAtom,
      addClockSample(
        UNKNOWN_CLOCK,
        takeClockSample(boot.now, navigation.requestStart, navigation.responseStart),
      ),
    );
    store.set(liveConnectionAtom, { open: false, lastContactAt: navigation.responseStart });
  }
  store.set(
    liveStateAtom,
    liveStateOfBoot(boot, isCachedCopy() ? Date.now() : (boot.now ?? Date.now())),
  );
  store.set(configAtom, boot.config ?? null);
  store.set(pageBootDataAtom, boot);
  if (!boot.config)
    void fetchConfig().then(
      (config) => store.set(configAtom, config),
      () => {},
    );
  return store;
}

async function startApp(): Promise<void> {
  const root = document.getElementById('root');
  if (!root) return;
  const store = createSeededStore(readBootData());
  const { route } = matchRoute(window.location.pathname);
  if (!route.bare && !route.own) registerOfflineWorker();
  await loadPage(route);
  // The first commit replaces the server's markup in one step with boxes of the same size, so that
  // nothing moves. A transition renders it in slices of 5 ms, between which the page answers taps.
  startTransition(() => createRoot(root).render(<App store={store} />));
}

void startApp();
