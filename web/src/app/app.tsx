import { Provider } from 'jotai';
import type { createStore } from 'jotai';
import { sendDebugLog } from '@/api/endpoints/buyer';
import { reloadPage } from '@/features/board/nightly-reload';
import { CartButtonAndDrawer } from '@/features/buyer/cart/cart-button-and-drawer';
import { MaintenanceBanner } from '@/features/buyer/site/maintenance-banner';
import { SiteFooter } from '@/features/buyer/site/site-footer';
import { SiteHeader } from '@/features/buyer/site/site-header';
import { LiveConnection } from '@/features/shared-live/live-connection';
import { CrashBoundary } from '@/shared/ui/crash-boundary';
import { Toaster } from '@/shared/ui/toaster';
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
        <Toaster />
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
      <CartButtonAndDrawer />
      <Toaster />
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
