import { expect, test } from 'vitest';
import {
  clubColourVariables,
  contrastRatio,
  initialsOf,
  readableTextColourOn,
  clubThemeOf,
} from './club-colours';

/**
 * The eleven test colours of the design brief: dark, bright and light ones, and the specified
 * defaults.
 */
const TEST_COLOURS = [
  '#1f2937',
  '#374151',
  '#3b82f6',
  '#ffeb3b',
  '#ffc72c',
  '#0b2e6b',
  '#7a1230',
  '#ff8a3d',
  '#ffffff',
  '#000000',
  '#00a651',
];

test('text on any club colour is readable and prefers white', () => {
  for (const colour of TEST_COLOURS)
    expect(contrastRatio(readableTextColourOn(colour), colour), colour).toBeGreaterThanOrEqual(4.5);
  expect([
    readableTextColourOn('#1f2937'),
    readableTextColourOn('#3b82f6'),
    readableTextColourOn('#ffeb3b'),
  ]).toEqual(['#ffffff', '#000000', '#000000']);
});

test('button that is close to its background has an edge', () => {
  expect(
    clubColourVariables({ primaryColor: '#0b2e6b', accentColor: '#0c3070' })['--club-hero-edge'],
  ).toBe('#ffffff');
  expect(
    clubColourVariables({ primaryColor: '#0b2e6b', accentColor: '#ffc72c' })['--club-hero-edge'],
  ).toBe('transparent');
  expect(clubColourVariables({ accentColor: '#ffeb3b' })['--club-card-edge']).toBe('#85806f');
});

test('defaults replace invalid colours and initials replace a logo', () => {
  expect(clubThemeOf({ primaryColor: 'red', accentColor: null })).toEqual({
    primary: '#1f2937',
    secondary: '#374151',
    accent: '#3b82f6',
  });
  expect([initialsOf('Bayside Barracudas'), initialsOf('Cudas'), initialsOf('')]).toEqual([
    'BB',
    'CU',
    'F',
  ]);
});
