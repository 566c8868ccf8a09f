import { expect, test } from 'vitest';
import { toastLift, type Obstacle } from './toast-placement';

const toast = { top: 760, bottom: 832, left: 12, right: 378 };
const control = (top: number, bottom: number, more: Partial<Obstacle> = {}): Obstacle => ({
  top,
  bottom,
  left: 12,
  right: 378,
  fixed: false,
  ...more,
});

test('toast stays at the bottom if no control is there', () => {
  expect(toastLift(toast, [])).toBe(0);
  expect(toastLift(toast, [control(600, 700)])).toBe(0);
});

test('toast moves above the control at the bottom', () => {
  expect(toastLift(toast, [control(780, 828)])).toBe(832 - 772);
});

test('toast moves above two controls without room between them', () => {
  expect(toastLift(toast, [control(780, 828), control(720, 768)])).toBe(832 - 712);
});

test('control beside the toast does not move it', () => {
  expect(toastLift(toast, [control(780, 828, { left: 400, right: 500 })])).toBe(0);
});

test('on a screen full of controls the toast avoids the fixed ones', () => {
  const rows = Array.from({ length: 20 }, (_, row) => control(row * 42, row * 42 + 40));
  expect(toastLift(toast, [...rows, control(784, 832, { fixed: true })])).toBe(832 - 776);
});
