import { expect, test } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import { nextDraws } from './next-draws';

test('the club’s own draws come first, and the draw itself is not among them', () => {
  const draw = (drawNumber: number, clubId: number) =>
    makeDraw({ id: drawNumber, drawNumber, clubId });
  const after = draw(1001, 1);
  const active = [after, draw(1002, 2), draw(1003, 1), draw(1004, 3), draw(1005, 2)];
  expect(nextDraws(after, active).map(({ drawNumber }) => drawNumber)).toEqual([1003, 1002, 1004]);
  expect(nextDraws(after, [after])).toEqual([]);
});
