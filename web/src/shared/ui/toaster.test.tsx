import { act, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { renderScreen } from '@/testing/render-screen';
import { Dialog } from './dialog';
import { showToastAtom } from './toast-atoms';

function TestDialog() {
  const [open, setOpen] = useState(true);
  return (
    <Dialog title="Move a draw" open={open} onClose={() => setOpen(false)}>
      <p>Text</p>
    </Dialog>
  );
}

test('toast is inside an open dialog, and in the page after the dialog closes', () => {
  const { store } = renderScreen(<TestDialog />);
  act(() => store.set(showToastAtom, { title: 'Saved' }));
  expect(screen.getByRole('dialog').contains(screen.getByText('Saved'))).toBe(true);
  act(() => screen.getByRole('button', { name: 'Close' }).click());
  expect(screen.getByText('Saved').closest('dialog')).toBeNull();
});

test('an error toast goes when a form is submitted again, and the next error stays', () => {
  const { store } = renderScreen(
    <form aria-label="Login" onSubmit={(event) => event.preventDefault()} />,
  );
  const submit = () =>
    act(() => {
      screen
        .getByRole('form')
        .dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
    });
  act(() => store.set(showToastAtom, { title: 'Saved' }));
  submit();
  expect(screen.getByText('Saved')).toBeDefined();
  act(() => store.set(showToastAtom, { title: 'Login failed', bad: true }));
  submit();
  expect(screen.queryByText('Login failed')).toBeNull();
  screen
    .getByRole('form')
    .addEventListener('submit', () => store.set(showToastAtom, { title: 'Refused', bad: true }));
  act(() => store.set(showToastAtom, { title: 'Login failed', bad: true }));
  submit();
  expect(screen.getByText('Refused')).toBeDefined();
});
