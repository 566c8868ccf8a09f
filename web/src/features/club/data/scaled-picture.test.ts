import { expect, test } from 'vitest';
import { sizeInside } from './scaled-picture';

test('a picture is scaled down to its box, and never up', () => {
  const box = { width: 1200, height: 800 };
  expect(sizeInside({ width: 4000, height: 3000 }, box)).toEqual({ width: 1067, height: 800 });
  expect(sizeInside({ width: 4000, height: 1000 }, box)).toEqual({ width: 1200, height: 300 });
  expect(sizeInside({ width: 300, height: 200 }, box)).toEqual({ width: 300, height: 200 });
  expect(sizeInside({ width: 9000, height: 1 }, box)).toEqual({ width: 1200, height: 1 });
});
