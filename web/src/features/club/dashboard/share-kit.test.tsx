import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import { renderScreen } from '@/testing/render-screen';
import { ShareKitDialog } from './share-kit';
import { shareTextsOf } from './share-kit-texts';

afterEach(() => vi.unstubAllGlobals());

const draw = makeDraw({ gameDate: '2099-11-20T09:10:00Z' });
const ORIGIN = 'https://doubles.example';
const textOf = (name: string) =>
  shareTextsOf(draw, 'Redcliffe Sharks', ORIGIN).find((one) => one.name === name);

test('each text names the game, the prize, the price and the draw’s page', () => {
  for (const { text } of shareTextsOf(draw, 'Redcliffe Sharks', ORIGIN)) {
    expect(text).toContain(`${draw.homeTeam} v ${draw.awayTeam}`);
    expect(text).toContain('$290.00');
    expect(text).toContain('$5.00');
    expect(text).toContain(`${ORIGIN}/draw/${draw.drawNumber}`);
    expect(text).not.toMatch(/pick|choose|bet|jackpot/i);
  }
  expect(textOf('SMS')?.text.length, 'one SMS').toBeLessThanOrEqual(160);
});

test('the apps’ links carry the encoded text, and Facebook’s only the page', () => {
  expect(textOf('WhatsApp')?.href).toBe(
    `https://wa.me/?text=${encodeURIComponent(textOf('WhatsApp')?.text ?? '')}`,
  );
  expect(textOf('Facebook')?.href).toBe(
    `https://www.facebook.com/sharer/sharer.php?u=${encodeURIComponent(`${ORIGIN}/draw/${draw.drawNumber}`)}`,
  );
  const passed = shareTextsOf({ ...draw, passStripeFees: true }, 'Sharks', ORIGIN);
  expect(passed.every(({ text }) => text.includes('$5.00 + $0.39 fee = $5.39'))).toBe(true);
});

test('a text is copied, and a refused clipboard says what to do', async () => {
  const user = userEvent.setup();
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValueOnce();
  renderScreen(
    <ShareKitDialog draw={draw} clubName="Redcliffe Sharks" onClose={() => {}} />,
    '/club/sharks/admin',
  );
  await user.click(screen.getByRole('button', { name: 'Copy the SMS text' }));
  expect(await screen.findByText('SMS text copied')).toBeTruthy();
  expect(write.mock.calls[0]?.[0]).toContain(`/draw/${draw.drawNumber}`);
  write.mockRejectedValueOnce(new Error('refused'));
  await user.click(screen.getByRole('button', { name: 'Copy the E-mail text' }));
  expect(await screen.findByText('Select the text and copy it.')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Story picture (PNG)' }).getAttribute('href')).toBe(
    `/og/draw/${draw.drawNumber}/story`,
  );
});
