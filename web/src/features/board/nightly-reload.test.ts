import { expect, test, vi } from 'vitest';
import { reloadPage, msUntilNightlyReload } from './nightly-reload';

test('a board reloads only when its own address answers', async () => {
  const reach = vi
    .fn<() => Promise<boolean>>()
    .mockRejectedValueOnce(new Error('offline'))
    .mockResolvedValueOnce(false)
    .mockResolvedValue(true);
  const reload = vi.fn();
  const waited: number[] = [];
  await reloadPage(
    reach,
    reload,
    async (ms) => void (expect(reload).not.toHaveBeenCalled(), waited.push(ms)),
  );
  expect(reload).toHaveBeenCalledTimes(1);
  expect(waited).toEqual([60_000, 60_000]);
});

test('a board reloads at the next 4 am, spread over ten minutes', () => {
  expect(msUntilNightlyReload(new Date(2026, 10, 20, 3, 0), 0)).toBe(3_600_000);
  expect(msUntilNightlyReload(new Date(2026, 10, 20, 4, 0), 0)).toBe(24 * 3_600_000);
  expect(msUntilNightlyReload(new Date(2026, 10, 20, 3, 0), 1)).toBe(3_600_000 + 600_000);
});
