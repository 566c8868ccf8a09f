import { dayAndTime } from '@/shared/dates';
import { DISPLAY_TAG_CHARS_SHOWN } from '@/shared/display-tag';
import { decimalToCents, formatDollars } from '@/shared/money';
import { TextAreaField } from '@/shared/ui/choice-field';
import { CheckboxField, Field } from '@/shared/ui/field';
import { withOfferName, withOfferType, sanitiseSlugInput, withGameChosen } from './offer-rules';
import type { OfferFields } from './offer-rules';

export interface PickableGame {
  id: number;
  homeTeam: string;
  awayTeam: string;
  gameDate: string;
  timezone?: string | null;
  ticketPrice: string;
}

interface OfferFieldsetsProps {
  offer: OfferFields;
  onOffer: (offer: OfferFields) => void;
  games: readonly PickableGame[];
  readOnly: boolean;
}

const OFFER_TYPE_CHOICES = [
  { type: 'BUNDLE', label: 'Bundle', text: 'Tickets of two or more games together' },
  { type: 'SPECIAL', label: 'Special', text: 'One game, in the spotlight' },
] as const;

export function OfferFieldsets({ offer, onOffer, games, readOnly }: OfferFieldsetsProps) {
  const set = (more: Partial<OfferFields>) => onOffer({ ...offer, ...more });
  return (
    <>
      <fieldset className="group" disabled={readOnly}>
        <legend>Offer</legend>
        <Field
          id="offer-name"
          label="Name"
          maxLength={100}
          value={offer.name}
          onValue={(name) => onOffer(withOfferName(offer, name))}
        />
        <Field
          id="offer-slug"
          label="Slug"
          maxLength={60}
          autoCapitalize="none"
          spellCheck={false}
          value={offer.slug}
          hint={`…/specials/${offer.slug}`}
          onValue={(slug) => set({ slug: sanitiseSlugInput(slug), slugByHand: true })}
        />
        <Field
          id="offer-tag"
          label="Tag"
          maxLength={200}
          value={offer.displayTag}
          hint={`${offer.displayTag.length}/${DISPLAY_TAG_CHARS_SHOWN} shown`}
          onValue={(displayTag) => set({ displayTag })}
        />
        <TextAreaField
          id="offer-copy"
          label="Text"
          maxLength={1000}
          value={offer.primaryCopy}
          onValue={(primaryCopy) => set({ primaryCopy })}
        />
      </fieldset>
      <fieldset className="group" disabled={readOnly}>
        <legend>Type</legend>
        <div className="choices">
          {OFFER_TYPE_CHOICES.map(({ type, label, text }) => (
            <label className="choice" key={type}>
              <input
                type="radio"
                name="offer-type"
                value={type}
                checked={offer.type === type}
                onChange={() => onOffer(withOfferType(offer, type))}
              />
              <span>
                <strong>{label}</strong>
                <span className="meta">{text}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <fieldset className="group" disabled={readOnly} id="offer-games" tabIndex={-1}>
        <legend>Games</legend>
        <p className="lead">
          {offer.type === 'SPECIAL'
            ? 'Choose one.'
            : `${offer.gameIds.length} chosen; a bundle has at least two.`}
        </p>
        {games.length === 0 ? <p>No draw of this club is on sale.</p> : null}
        {games.map((game) => (
          <CheckboxField
            key={game.id}
            id={`offer-game-${game.id}`}
            checked={offer.gameIds.includes(game.id)}
            onChecked={(chosen) => onOffer(withGameChosen(offer, game.id, chosen))}
          >
            {game.homeTeam} v {game.awayTeam}
            <span className="meta">
              <br />
              {dayAndTime(game.gameDate, game.timezone)} ·{' '}
              {formatDollars(decimalToCents(game.ticketPrice))}
            </span>
          </CheckboxField>
        ))}
      </fieldset>
    </>
  );
}
