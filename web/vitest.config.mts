import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/testing/set-up.ts'],
    css: false,
    pool: 'threads',
    // Files share one window, because a window for each took two thirds of the processor time.
    // `set-up.ts` gives each file modules of its own.
    isolate: false,
    // Generous, because the CPU is shared. No test waits for a real timer.
    testTimeout: 20_000,
  },
});
