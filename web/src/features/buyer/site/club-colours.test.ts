import { expect, test } from 'vitest';
import { contrast, initials, readableOn, themeOf } from './club-colours';

test('text on any club colour can be read', () => {
  const colours = ['#1f2937', '#374151', '#3b82f6', '#ffeb3b', '#b3261e', '#0b5d4b', '#7f7f7f', '#ffffff', '#000000', '#ff6600', '#800000'];
  for (const colour of colours) expect(contrast(readableOn(colour), colour), colour).toBeGreaterThanOrEqual(4.5);
  expect(readableOn('#3b82f6')).toBe('#000000');
});

test('what is missing or is no colour falls back to the specified defaults', () => {
  expect(themeOf({ primaryColor: 'url(x)', accentColor: '#abc' })).toEqual({ primary: '#1f2937', secondary: '#374151', accent: '#abc' });
});

test('a club without a logo has two letters', () => {
  expect(['Redcliffe Juniors', 'Norths', ''].map(initials)).toEqual(['RJ', 'NO', 'F']);
});
