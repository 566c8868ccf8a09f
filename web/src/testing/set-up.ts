import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';

declare global {
  interface Window {
    happyDOM: { setURL(url: string): void };
  }
}

// Runs before each test file. Files share one window, but not the state of our modules.
vi.resetModules();

// The default of one second is too short when other processes use the CPU. A test that finds its
// element does not wait longer.
configure({ asyncUtilTimeout: 10_000 });

// Resets the URL, because a test must not see the URL of the test before it.
beforeEach(() => {
  window.happyDOM.setURL('http://localhost:3000/');
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  sessionStorage.clear();
  localStorage.clear();
});
