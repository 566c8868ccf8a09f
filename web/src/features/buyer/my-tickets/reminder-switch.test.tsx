import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderScreen } from '@/testing/render-screen';
import { ReminderSwitch } from './reminder-switch';

/** Serves an order's reminder, and returns the bodies of the changes. */
function serveReminder(possible: boolean) {
  let wanted = false;
  const sent: unknown[] = [];
  vi.stubGlobal(
    'fetch',
    vi.fn((_: string, init?: RequestInit) => {
      if (init?.method === 'PUT') {
        const body = JSON.parse(String(init.body)) as { wanted: boolean };
        sent.push(body);
        wanted = body.wanted;
      }
      return Promise.resolve(Response.json({ wanted, possible }));
    }),
  );
  return sent;
}

test('the reminder is off until the buyer switches it on', async () => {
  const sent = serveReminder(true);
  renderScreen(<ReminderSwitch token="abc" />);
  const control = await screen.findByRole('switch', { name: 'Remind me' });
  expect([control.getAttribute('aria-checked'), sent]).toEqual(['false', []]);
  await userEvent.click(control);
  await screen.findByText('You will get both mails.');
  expect(control.getAttribute('aria-checked')).toBe('true');
  await userEvent.click(control);
  await screen.findByText('You will get no reminders.');
  expect(sent).toEqual([{ wanted: true }, { wanted: false }]);
});

test('the link of a reminder stops the mails when its page opens', async () => {
  const sent = serveReminder(false);
  renderScreen(<ReminderSwitch token="abc" />, '/my/abc?reminder=off');
  await screen.findByText('You will get no reminders.');
  expect(sent).toEqual([{ wanted: false }]);
});

test('an order without a game to come offers no reminder', async () => {
  serveReminder(false);
  renderScreen(<ReminderSwitch token="abc" />);
  await vi.waitFor(() => expect(fetch).toHaveBeenCalled());
  expect(screen.queryByText('Remind me')).toBeNull();
});
