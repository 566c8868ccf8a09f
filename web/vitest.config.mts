import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.mjs'],
    setupFiles: ['src/testing/set-up.ts'],
    css: false,
    pool: 'threads',
    // All test files share one simulated browser window. One window for each file took two thirds
    // of the processor time. `set-up.ts` resets the modules for each file.
    isolate: false,
    // In milliseconds. Generous, because other processes share the CPU. No test waits for a real
    // timer.
    testTimeout: 20_000,
  },
});
