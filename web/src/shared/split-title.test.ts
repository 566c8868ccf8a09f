import { expect, test } from 'vitest';
import { splitTitle } from './split-title';

test('text is split at the first colon with a space', () => {
  expect(splitTitle('Payment Error: Not ready: wait.')).toEqual({
    title: 'Payment Error',
    text: 'Not ready: wait.',
  });
});

test('text without a colon is the title', () => {
  expect(splitTitle('Upload failed')).toEqual({ title: 'Upload failed', text: '' });
});
