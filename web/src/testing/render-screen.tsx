/** Renders a part of the site in a test, at a URL path, with its own store and the toasts. */
import { render, type RenderResult } from '@testing-library/react';
import { Provider, createStore } from 'jotai';
import type { ReactNode } from 'react';
import { Toaster } from '@/shared/ui/toaster';

export interface RenderedScreen extends RenderResult {
  store: ReturnType<typeof createStore>;
}

export function renderScreen(what: ReactNode, address = '/'): RenderedScreen {
  window.history.replaceState(null, '', address);
  const store = createStore();
  return {
    store,
    ...render(
      <Provider store={store}>
        {what}
        <Toaster />
      </Provider>,
    ),
  };
}
