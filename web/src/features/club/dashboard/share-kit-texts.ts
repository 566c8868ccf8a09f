/** Ready texts that a club sends to its supporters about a draw on sale. */
import type { Draw } from '@/api/wire';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { ticketPriceText } from '@/shared/money';
import { gameTimeText, prizeText, teamsText } from './draw-labels';

export interface ShareText {
  name: string;
  text: string;
  /** Opens the app with the text. Facebook takes only the link, so its text is copied first. */
  href: string;
}

/** Returns the texts, the shortest first. They state only what is true when they are sent. */
export function shareTextsOf(draw: Draw, clubName: string, origin: string): ShareText[] {
  const game = teamsText(draw);
  const url = `${origin}/draw/${draw.drawNumber}`;
  // With a passed-on card fee, the price names its parts and the total (ux.md D14).
  const price = ticketPriceText(draw.ticketPrice, draw.passStripeFees);
  const left = TICKETS_PER_DRAW - draw.ticketsSold;
  const when = gameTimeText(draw);
  const prize = prizeText(draw);
  const short = `${game}: prize now ${prize}, tickets ${price}. ${url}`;
  const chat = [
    `${clubName} Football Doubles`,
    `${game}, ${when}`,
    `Prize now ${prize}. Tickets ${price}, ${left} left.`,
    url,
  ].join('\n');
  const post = [
    `${game}, ${when}.`,
    `The prize is ${prize} now and grows with each ticket. A ticket costs ${price} and has two jersey numbers, dealt at random. If those two score first, you win.`,
    `${left} of ${TICKETS_PER_DRAW} tickets are left.`,
    url,
  ].join('\n\n');
  const mail = `Hello,\n\n${post}\n\nThank you for supporting ${clubName}.`;
  const encode = encodeURIComponent;
  return [
    { name: 'SMS', text: short, href: `sms:?&body=${encode(short)}` },
    { name: 'WhatsApp', text: chat, href: `https://wa.me/?text=${encode(chat)}` },
    {
      name: 'Facebook',
      text: post,
      href: `https://www.facebook.com/sharer/sharer.php?u=${encode(url)}`,
    },
    {
      name: 'E-mail',
      text: mail,
      href: `mailto:?subject=${encode(`${clubName}: ${game}`)}&body=${encode(mail)}`,
    },
  ];
}
