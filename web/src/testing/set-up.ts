import { cleanup } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';

declare global {
  interface Window {
    happyDOM: { setURL(url: string): void };
  }
}

// Runs before each test file. Files share one window, but not the state of our modules.
vi.resetModules();

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
