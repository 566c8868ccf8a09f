import { Provider } from 'jotai';
import type { createStore } from 'jotai';
import { Suspense, lazy, type ReactNode } from 'react';
import { sendDebugLog } from '@/api/endpoints/buyer';
import { reloadPage } from '@/features/board/nightly-reload';
import { MaintenanceBanner } from '@/features/buyer/site/maintenance-banner';
import { SiteFooter } from '@/features/buyer/site/site-footer';
import { SiteHeader } from '@/features/buyer/site/site-header';
import { LiveConnection } from '@/features/shared-live/live-connection';
import { CrashBoundary } from '@/shared/ui/crash-boundary';
import { PAGE_PATHS } from './paths';
import type { Route } from './routes';
import { useFocusOnPageChange, useMatchedPage, useScrollToTop } from './router';
import { useReloadCachedPageWhenOnline } from './cached-page-refresh';

const BOARD_CRASH_RELOAD_DELAY_MS = 30_000;

function reportCrash(route: Route, error: Error): void {
  sendDebugLog('error', 'screen crashed', {
    path: route.path,
    message: error.message.slice(0, 200),
  });
  // Reloads a crashed board automatically, because a board has no user who could press 'Reload
  // Page'.
  if (route.bare) setTimeout(() => void reloadPage(), BOARD_CRASH_RELOAD_DELAY_MS);
}

/**
 * Loaded after the page. Errors also stand in the page itself, so it works without toasts if the
 * file cannot be loaded.
 */
const FloatingParts = lazy<(props: { cart?: boolean }) => ReactNode>(() =>
  import('./floating-parts').then(
    (parts) => ({ default: parts.FloatingParts }),
    () => ({ default: () => null }),
  ),
);

function LazyFloatingParts({ cart = false }: { cart?: boolean }) {
  return (
    <Suspense fallback={null}>
      <FloatingParts cart={cart} />
    </Suspense>
  );
}

function CurrentPage() {
  const { route, params } = useMatchedPage();
  useFocusOnPageChange(`${route.path} ${Object.values(params).join(' ')}`);
  useScrollToTop();
  useReloadCachedPageWhenOnline();
  const Page = route.loaded;
  if (!Page) return null;
  const page = (
    <CrashBoundary key={route.path} onCrash={(error) => reportCrash(route, error)}>
      <Page key={Object.values(params).join('/')} params={params} />
    </CrashBoundary>
  );
  if (route.bare)
    return (
      <>
        <LiveConnection always />
        {page}
      </>
    );
  if (route.own) {
    return (
      <>
        <LiveConnection always={false} />
        <a className="skip" href="#main">
          Skip to content
        </a>
        {page}
        <LazyFloatingParts />
      </>
    );
  }
  return (
    <>
      <LiveConnection always={false} />
      <a className="skip" href="#main">
        Skip to content
      </a>
      <SiteHeader full={route.path === PAGE_PATHS.landing} />
      <MaintenanceBanner />
      {page}
      <SiteFooter />
      <LazyFloatingParts cart />
    </>
  );
}

export function App({ store }: { store: ReturnType<typeof createStore> }) {
  return (
    <Provider store={store}>
      <CrashBoundary
        onCrash={(error) =>
          sendDebugLog('error', 'app crashed', { message: error.message.slice(0, 200) })
        }
      >
        <CurrentPage />
      </CrashBoundary>
    </Provider>
  );
}
