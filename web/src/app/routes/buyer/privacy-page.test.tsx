import { fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { readStored } from '@/shared/storage';
import { renderScreen } from '@/testing/render-screen';
import { Page } from './privacy-page';

test('the consent to marketing pixels can be changed at any time', () => {
  renderScreen(<Page />);
  expect(screen.getByText('You have not been asked yet.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Allow' }));
  expect(screen.getByText('You allow it.')).toBeTruthy();
  expect(readStored('local', 'marketing_consent')).toBe(true);
  fireEvent.click(screen.getByRole('button', { name: 'Decline' }));
  expect(screen.getByText('You do not allow it.')).toBeTruthy();
  expect(readStored('local', 'marketing_consent')).toBe(false);
});
