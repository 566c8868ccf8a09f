import type { ReactNode } from 'react';
import { formatDollars, decimalToCents } from '@/shared/money';
import { lockedFieldsText } from '@/shared/strings-club';
import { SelectField } from '@/shared/ui/choice-field';
import { CheckboxField, Field } from '@/shared/ui/field';
import { LockIcon } from '../frame/icons';
import { sanitisePhoneInput, type DrawContact, type DrawFields } from './draw-rules';
import { TIME_ZONES, clockChangeNote } from './local-time';

export interface FieldsetProps<Fields = DrawFields> {
  fields: Fields;
  onFields: (fields: Fields) => void;
  errorOf: (field: string) => string | null;
}

/**
 * Options for the specified time zones. Adds the draw's own zone if an import or an API call set
 * another, such as Canberra.
 */
function TimeZoneOptions({ own }: { own: string }) {
  const isListed = TIME_ZONES.some(({ zones }) => zones.some(([zone]) => zone === own));
  return (
    <>
      {TIME_ZONES.map(({ country, zones }) => (
        <optgroup key={country} label={country}>
          {zones.map(([zone, label]) => (
            <option key={zone} value={zone}>
              {label}
            </option>
          ))}
        </optgroup>
      ))}
      {isListed ? null : <option value={own}>{own}</option>}
    </>
  );
}

export function GameFieldset({ fields, onFields, errorOf }: FieldsetProps) {
  const set = (more: Partial<DrawFields>) => onFields({ ...fields, ...more });
  const moved =
    fields.date && fields.time
      ? clockChangeNote({ date: fields.date, time: fields.time }, fields.timezone)
      : null;
  return (
    <fieldset className="group">
      <legend>Game</legend>
      <Field
        id="draw-league"
        name="league"
        label="League (optional)"
        maxLength={100}
        value={fields.league}
        error={errorOf('draw-league')}
        onValue={(league) => set({ league })}
      />
      <div className="two">
        <Field
          id="draw-homeTeam"
          name="homeTeam"
          label="Home team"
          maxLength={100}
          required
          value={fields.homeTeam}
          error={errorOf('draw-homeTeam')}
          onValue={(homeTeam) => set({ homeTeam })}
        />
        <Field
          id="draw-awayTeam"
          name="awayTeam"
          label="Away team"
          maxLength={100}
          required
          value={fields.awayTeam}
          error={errorOf('draw-awayTeam')}
          onValue={(awayTeam) => set({ awayTeam })}
        />
        <Field
          id="draw-date"
          name="date"
          label="Game date"
          type="date"
          required
          value={fields.date}
          error={errorOf('draw-date')}
          onValue={(date) => set({ date })}
        />
        <Field
          id="draw-time"
          name="time"
          label="Game time"
          type="time"
          required
          value={fields.time}
          error={errorOf('draw-time')}
          hint={moved ? `Clocks go forward that day: the game is at ${moved}.` : null}
          onValue={(time) => set({ time })}
        />
      </div>
      <SelectField
        id="draw-timezone"
        label="Timezone"
        value={fields.timezone}
        error={errorOf('draw-timezone')}
        onValue={(timezone) => set({ timezone })}
      >
        <TimeZoneOptions own={fields.timezone} />
      </SelectField>
    </fieldset>
  );
}

interface PriceFieldsetProps extends FieldsetProps {
  choices: readonly number[];
  /** Smallest price the input accepts; the two forms differ (decision C-23). */
  min: '0' | '0.01';
}

export function PriceFieldset({ fields, onFields, errorOf, choices, min }: PriceFieldsetProps) {
  const set = (more: Partial<DrawFields>) => onFields({ ...fields, ...more });
  return (
    <fieldset className="group">
      <legend>Price and prize</legend>
      <div className="two">
        <Field
          id="draw-ticketPrice"
          name="ticketPrice"
          label="Ticket price ($)"
          type="number"
          inputMode="decimal"
          min={min}
          step="0.01"
          required
          value={fields.ticketPrice}
          error={errorOf('draw-ticketPrice')}
          onValue={(ticketPrice) => set({ ticketPrice })}
        />
        <SelectField
          id="draw-prizePercentage"
          label="Prize percentage"
          value={String(fields.prizePercentage)}
          error={errorOf('draw-prizePercentage')}
          onValue={(percentage) => set({ prizePercentage: Number(percentage) })}
        >
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}%
            </option>
          ))}
        </SelectField>
      </div>
      <CheckboxField
        id="draw-roundUpPrize"
        checked={fields.roundUpPrize}
        onChecked={(roundUpPrize) => set({ roundUpPrize })}
      >
        Round the prize up to the next $10; the club covers the difference
      </CheckboxField>
    </fieldset>
  );
}

/**
 * The three price fields, locked after the first sale, with the reason (specification line B:158).
 */
export function LockedPriceFieldset({ fields, sold }: { fields: DrawFields; sold: number }) {
  const rows = [
    ['Ticket price', formatDollars(decimalToCents(fields.ticketPrice))],
    ['Prize percentage', `${fields.prizePercentage}%`],
    ['Prize rounding', fields.roundUpPrize ? 'Rounded up to $10' : 'Not rounded'],
  ] as const;
  return (
    <fieldset className="group" aria-describedby="draw-locked">
      <legend>Price and prize</legend>
      <dl className="locked-list">
        {rows.map(([name, value]) => (
          <div className="locked" key={name}>
            <dt>{name}</dt>
            <dd>
              <LockIcon /> {value}
            </dd>
          </div>
        ))}
      </dl>
      <p className="field-hint" id="draw-locked">
        {lockedFieldsText(sold)}
      </p>
    </fieldset>
  );
}

/**
 * Choice of who pays the card fee. While the platform does not let buyers pay it, an explanation
 * replaces the choice (decision D-14).
 */
export function CardFeeFieldset({
  fields,
  onFields,
  allowed,
}: FieldsetProps & { allowed: boolean }) {
  return (
    <fieldset className="group">
      <legend>Options</legend>
      {allowed ? (
        <CheckboxField
          id="draw-passStripeFees"
          checked={fields.passStripeFees}
          onChecked={(passStripeFees) => onFields({ ...fields, passStripeFees })}
        >
          Buyers pay the card processing fees (1.70% + $0.30)
        </CheckboxField>
      ) : (
        <p className="lead">
          Passing the card fee on to buyers is not allowed at the moment, so the club pays it.
        </p>
      )}
    </fieldset>
  );
}

/** Contact fields of one draw, or of all draws of a season. */
export function ContactFieldset<Fields extends DrawContact>({
  fields,
  onFields,
  errorOf,
}: FieldsetProps<Fields>) {
  const set = (more: Partial<DrawContact>) => onFields({ ...fields, ...more });
  return (
    <fieldset className="group">
      <legend>Contact</legend>
      <p className="lead">Shown on the draw’s public page, so that buyers can reach you.</p>
      <div className="two">
        <Field
          id="draw-contactName"
          name="contactName"
          label="Contact name"
          autoComplete="name"
          maxLength={100}
          required
          value={fields.contactName}
          error={errorOf('draw-contactName')}
          onValue={(contactName) => set({ contactName })}
        />
        <Field
          id="draw-contactPhone"
          name="contactPhone"
          label="Contact phone"
          type="tel"
          inputMode="tel"
          autoComplete="tel"
          required
          value={fields.contactPhone}
          error={errorOf('draw-contactPhone')}
          onValue={(contactPhone) => set({ contactPhone: sanitisePhoneInput(contactPhone) })}
        />
      </div>
    </fieldset>
  );
}

interface ReasonFieldsetProps {
  reason: string;
  onReason: (reason: string) => void;
  error: string | null;
}

/** The operator's reason for changing a club's draw; a club gives none (decision E-9). */
export function ReasonFieldset({ reason, onReason, error }: ReasonFieldsetProps) {
  return (
    <fieldset className="group">
      <legend>As the operator</legend>
      <p className="lead">Your reason and the change stay in the audit trail.</p>
      <Field
        id="draw-reason"
        name="reason"
        label="Reason"
        autoComplete="off"
        maxLength={300}
        required
        value={reason}
        error={error}
        onValue={onReason}
      />
    </fieldset>
  );
}

export function FormCard({ children }: { children: ReactNode }) {
  return <div className="form-groups">{children}</div>;
}
