import { expect, test } from 'vitest';
import { shareTargetsOf } from './share-targets';

test('each app gets the text and the link, escaped', () => {
  const what = { title: 'Sharks v Tigers', text: 'Prize $5 & more:', url: 'https://x.test/draw/1' };
  const addresses = Object.fromEntries(shareTargetsOf(what).map(({ name, href }) => [name, href]));
  expect(addresses).toEqual({
    WhatsApp: 'https://wa.me/?text=Prize%20%245%20%26%20more%3A%20https%3A%2F%2Fx.test%2Fdraw%2F1',
    Messenger: 'fb-messenger://share/?link=https%3A%2F%2Fx.test%2Fdraw%2F1',
    'Text message': 'sms:?&body=Prize%20%245%20%26%20more%3A%20https%3A%2F%2Fx.test%2Fdraw%2F1',
    'E-mail':
      'mailto:?subject=Sharks%20v%20Tigers&body=Prize%20%245%20%26%20more%3A%20https%3A%2F%2Fx.test%2Fdraw%2F1',
  });
});
