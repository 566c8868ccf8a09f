import { fireEvent, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Stepper } from './stepper';

test('step down goes to what is left and step up does nothing', () => {
  const onValue = vi.fn();
  render(<Stepper label="Tickets" value={5} max={2} onValue={onValue} />);
  fireEvent.click(screen.getByRole('button', { name: 'One more' }));
  fireEvent.keyDown(screen.getByRole('spinbutton'), { key: 'ArrowUp' });
  expect(onValue).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole('button', { name: 'One less' }));
  fireEvent.keyDown(screen.getByRole('spinbutton'), { key: 'ArrowDown' });
  expect(onValue.mock.calls).toEqual([[2], [2]]);
});
