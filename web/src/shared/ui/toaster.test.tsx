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
