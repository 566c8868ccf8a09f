import { useId, useState } from 'react';
import { SelectField, TextAreaField } from '@/shared/ui/choice-field';
import { CheckboxField, Field } from '@/shared/ui/field';
import { CartIcon, CloseIcon, MenuIcon, ShareIcon } from '@/shared/ui/icons';
import { ProblemList } from '@/shared/ui/problem-list';
import { Stepper } from '@/shared/ui/stepper';
import { Tooltip } from '@/shared/ui/tooltip';
import { useMenu } from '@/shared/ui/use-menu';
import { GalleryPart } from './gallery-part';

const TICKETS_MAX = 50;

export function ButtonsPart() {
  return (
    <GalleryPart name="Buttons">
      <div className="gallery-row">
        <button type="button" className="btn">
          Buy Now
        </button>
        <button type="button" className="btn sec">
          Share Club
        </button>
        <button type="button" className="btn gold">
          View Live Draws
        </button>
        <button type="button" className="btn danger">
          Cancel draw
        </button>
      </div>
      <div className="gallery-row">
        <button type="button" className="btn small">
          Small
        </button>
        <button type="button" className="btn small sec">
          Retry
        </button>
        <button type="button" className="btn" aria-disabled="true">
          Not available
        </button>
        <button type="button" className="btn" aria-busy="true" aria-disabled="true">
          Processing…
        </button>
        <button type="button" className="link-btn">
          Undo
        </button>
        <a href="#main">View draw</a>
      </div>
      <div className="gallery-row">
        <Tooltip text="Share">
          <button type="button" className="icon-btn" aria-label="Share">
            <ShareIcon />
          </button>
        </Tooltip>
        <button type="button" className="icon-btn" aria-label="Open the cart">
          <CartIcon />
        </button>
        <button type="button" className="icon-btn" aria-label="Open the menu">
          <MenuIcon />
        </button>
        <button type="button" className="icon-btn" aria-label="Close">
          <CloseIcon />
        </button>
      </div>
    </GalleryPart>
  );
}

export function FieldsPart() {
  const id = useId();
  const [name, setName] = useState('Sam Tulloch');
  const [phone, setPhone] = useState('0400 55');
  const [reason, setReason] = useState('');
  const [zone, setZone] = useState('Australia/Brisbane');
  return (
    <GalleryPart name="Fields">
      <Field id={`${id}-name`} label="Full Name" value={name} onValue={setName} />
      <Field
        id={`${id}-phone`}
        label="Phone Number"
        value={phone}
        error="Use ten digits, for example 0400 555 101"
        hint="The club phones the winner."
        onValue={setPhone}
      />
      <Field id={`${id}-off`} label="Price" value="$10.00" disabled onValue={() => {}} />
      <SelectField id={`${id}-zone`} label="Time zone" value={zone} onValue={setZone}>
        <option>Australia/Brisbane</option>
        <option>Australia/Sydney</option>
      </SelectField>
      <TextAreaField
        id={`${id}-reason`}
        label="Reason"
        value={reason}
        error="Please say why"
        hint={`${reason.length}/200`}
        onValue={setReason}
      />
    </GalleryPart>
  );
}

export function ChoicesPart() {
  const id = useId();
  const [isTicked, setTicked] = useState(true);
  const [isConfirmed, setConfirmed] = useState(false);
  const [count, setCount] = useState(2);
  return (
    <GalleryPart name="Boxes, switches and steppers">
      <CheckboxField id={`${id}-age`} checked={isTicked} onChecked={setTicked}>
        I confirm that I am over 18 years of age
      </CheckboxField>
      <CheckboxField
        id={`${id}-terms`}
        checked={isConfirmed}
        error="Please confirm you are over 18 years old"
        onChecked={setConfirmed}
      >
        I accept the Terms of Sale
      </CheckboxField>
      <CheckboxField id={`${id}-some`} checked={false} mixed onChecked={() => {}}>
        Some of the buyers
      </CheckboxField>
      <Stepper label="Tickets" value={count} max={TICKETS_MAX} onValue={setCount} />
      <Stepper label="Tickets, at least" value={1} max={TICKETS_MAX} onValue={() => {}} />
      <Stepper label="Tickets, not for sale" value={1} max={1} disabled onValue={() => {}} />
    </GalleryPart>
  );
}

export function ErrorListPart() {
  const id = useId();
  const [email, setEmail] = useState('sam@');
  const problems = [
    { field: `${id}-email`, text: 'Valid email address is required' },
    { field: `${id}-email`, text: 'Full name is required', isEdited: true },
  ];
  return (
    <GalleryPart name="List of problems">
      <ProblemList problems={problems} />
      <Field
        id={`${id}-email`}
        label="Email Address"
        value={email}
        error="Valid email address is required"
        onValue={setEmail}
      />
    </GalleryPart>
  );
}

export function MenuPart() {
  const { isOpen, root, button, id, close, onKeyDown, toggle } = useMenu();
  return (
    <GalleryPart name="Menu">
      <div ref={root} onKeyDown={isOpen ? onKeyDown : undefined}>
        <button
          ref={button}
          type="button"
          className="btn sec"
          aria-haspopup="menu"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={toggle}
        >
          More actions
        </button>
        {isOpen ? (
          <div className="gallery-menu" role="menu" id={id} aria-label="More actions">
            {['Edit draw', 'Download buyers', 'Cancel draw'].map((action) => (
              <button
                key={action}
                type="button"
                role="menuitem"
                onClick={() => close({ returnsFocus: true })}
              >
                {action}
              </button>
            ))}
          </div>
        ) : null}
      </div>
    </GalleryPart>
  );
}
