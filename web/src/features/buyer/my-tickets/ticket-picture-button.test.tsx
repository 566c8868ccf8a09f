import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderScreen } from '@/testing/render-screen';
import { TicketPictureButton } from './ticket-picture-button';

const serve = (status: number) =>
  vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.resolve(new Response(new Blob(['png']), { status }))),
  );

test('the picture goes to the share menu of a phone as a file', async () => {
  serve(200);
  const share = vi.fn<(what: ShareData) => Promise<void>>(() => Promise.resolve());
  vi.stubGlobal('innerWidth', 390);
  vi.stubGlobal('navigator', {
    userAgent: 'iPhone',
    canShare: () => true,
    share,
    clipboard: navigator.clipboard,
  });
  renderScreen(<TicketPictureButton token="abc" draw={1001} />);
  await userEvent.click(screen.getByRole('button', { name: 'Share my ticket picture' }));
  await vi.waitFor(() => expect(share).toHaveBeenCalledOnce());
  expect(share.mock.calls[0]?.[0].files?.[0]?.name).toBe('my-numbers-1001.png');
  expect(fetch).toHaveBeenCalledWith('/api/orders/abc/picture/1001', expect.anything());
});

test('a failed picture is reported and can be tried again', async () => {
  serve(503);
  renderScreen(<TicketPictureButton token="abc" draw={1001} />);
  const button = screen.getByRole('button', { name: 'Save my ticket picture' });
  await userEvent.click(button);
  await vi.waitFor(() => expect(button.getAttribute('aria-disabled')).toBe('false'));
  await userEvent.click(button);
  expect(fetch).toHaveBeenCalledTimes(2);
});
