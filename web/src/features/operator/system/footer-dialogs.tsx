import { useRef, useState, type FormEvent, type ReactNode } from 'react';
import {
  createFooterItem,
  createFooterMenu,
  updateFooterItem,
  updateFooterMenu,
} from '@/api/endpoints/operator';
import type { AdminFooterMenu, FooterItem } from '@/api/wire-operator';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { Dialog } from '@/shared/ui/dialog';
import { CheckboxField, Field } from '@/shared/ui/field';
import { ProblemList, type FormProblem } from '@/shared/ui/problem-list';
import { useRefetchQueries } from '../queries/use-query';
import { ErrorMessage } from '../components/common';
import { useActionWithFeedback, type FailureText } from '../session/use-action';

const HEADING_REQUIRED_TEXT = 'Heading is required';
const LABEL_REQUIRED_TEXT = 'Label is required';
const URL_REQUIRED_TEXT = 'URL is required';
const URL_REFUSED_TEXT = 'The URL must be a path, #, https: or mailto:';
const DISPLAY_ORDER_REQUIRED_TEXT = 'Display order must be a whole number';

/** The specified default of a menu. Menus with the same display order keep the order of their creation. */
const DISPLAY_ORDER_DEFAULT = 0;

/**
 * Whether a footer link is a path, an anchor, or a URL whose scheme cannot execute code
 * (specification line C:239, decision G-10).
 */
export const isFooterLinkTarget = (text: string): boolean =>
  /^(#|\/(?!\/)|https:\/\/|mailto:)/i.test(text.trim());
const isWholeNumber = (text: string): boolean => /^-?\d+$/.test(text.trim());

interface FooterFormProps {
  title: string;
  onClose: () => void;
  problems: () => FormProblem[];
  send: () => Promise<unknown>;
  text: FailureText;
  button: string;
  children: (errorOf: (field: string) => string | null) => ReactNode;
}

/**
 * Shared form of both footer dialogs: shows problems in a list and beside the fields, sends once,
 * and reloads the menus.
 */
function FooterForm({ title, onClose, problems, send, text, button, children }: FooterFormProps) {
  const action = useActionWithFeedback();
  const refetchQueries = useRefetchQueries();
  const [submitted, setSubmitted] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const shownProblems = submitted ? problems() : [];
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (problems().length > 0) {
      setTimeout(() => list.current?.focus());
      return;
    }
    if (action.busy) return;
    const done = await action.run(async () => {
      await send();
      await refetchQueries('menus').catch(() => {});
    }, text);
    if (done) onClose();
  };
  return (
    <Dialog title={title} open onClose={onClose}>
      <form onSubmit={(event) => void onSubmit(event)} noValidate>
        <ProblemList ref={list} problems={shownProblems} />
        {children(
          (field) => shownProblems.find((problem) => problem.field === field)?.text ?? null,
        )}
        <ErrorMessage message={action.error} />
        <div className="actions">
          <button type="submit" className="btn" disabled={action.busy}>
            {button}
          </button>
          <button type="button" className="btn sec" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Edits a menu of the public footer: heading, position and visibility. */
export function FooterMenuDialog({
  menu,
  onClose,
}: {
  menu: AdminFooterMenu | null;
  onClose: () => void;
}) {
  const [heading, setHeading] = useState(menu?.heading ?? '');
  const [place, setPlace] = useState(String(menu?.displayOrder ?? DISPLAY_ORDER_DEFAULT));
  const [isVisible, setVisible] = useState(menu?.isVisible ?? true);
  const toInput = () => ({ heading: heading.trim(), displayOrder: Number(place), isVisible });
  return (
    <FooterForm
      title={menu ? `Edit ${menu.heading}` : 'New menu'}
      onClose={onClose}
      button={menu ? 'Save menu' : 'Create menu'}
      text={{ failed: menu ? O.menuNotUpdated : O.menuNotCreated }}
      problems={() => [
        ...(heading.trim() ? [] : [{ field: 'menu-heading', text: HEADING_REQUIRED_TEXT }]),
        ...(isWholeNumber(place)
          ? []
          : [{ field: 'menu-order', text: DISPLAY_ORDER_REQUIRED_TEXT }]),
      ]}
      send={() => (menu ? updateFooterMenu(menu.id, toInput()) : createFooterMenu(toInput()))}
    >
      {(errorOf) => (
        <>
          <Field
            id="menu-heading"
            label="Heading"
            value={heading}
            autoComplete="off"
            data-autofocus
            error={errorOf('menu-heading')}
            onValue={setHeading}
          />
          <Field
            id="menu-order"
            label="Display order"
            value={place}
            inputMode="numeric"
            error={errorOf('menu-order')}
            hint="Small numbers come first."
            onValue={setPlace}
          />
          <CheckboxField id="menu-visible" checked={isVisible} onChecked={setVisible}>
            Visible
          </CheckboxField>
        </>
      )}
    </FooterForm>
  );
}

/** Edits a link of a menu: text, target, position and visibility. */
export function FooterItemDialog({
  menu,
  item,
  onClose,
}: {
  menu: AdminFooterMenu;
  item: FooterItem | null;
  onClose: () => void;
}) {
  const [label, setLabel] = useState(item?.label ?? '');
  const [url, setUrl] = useState(item?.url ?? '');
  const [place, setPlace] = useState(String(item?.displayOrder ?? menu.items.length));
  const [isVisible, setVisible] = useState(item?.isVisible ?? true);
  const toInput = () => ({
    menuId: menu.id,
    label: label.trim(),
    url: url.trim(),
    displayOrder: Number(place),
    isVisible,
  });
  const urlProblem = url.trim()
    ? isFooterLinkTarget(url)
      ? null
      : URL_REFUSED_TEXT
    : URL_REQUIRED_TEXT;
  return (
    <FooterForm
      title={item ? `Edit ${item.label}` : `Add a link to ${menu.heading}`}
      onClose={onClose}
      button={item ? 'Save link' : 'Add link'}
      text={{ failed: item ? 'Error updating link' : 'Error creating link' }}
      problems={() => [
        ...(label.trim() ? [] : [{ field: 'item-label', text: LABEL_REQUIRED_TEXT }]),
        ...(urlProblem ? [{ field: 'item-url', text: urlProblem }] : []),
        ...(isWholeNumber(place)
          ? []
          : [{ field: 'item-order', text: DISPLAY_ORDER_REQUIRED_TEXT }]),
      ]}
      send={() => (item ? updateFooterItem(item.id, toInput()) : createFooterItem(toInput()))}
    >
      {(errorOf) => (
        <>
          <Field
            id="item-label"
            label="Label"
            value={label}
            autoComplete="off"
            data-autofocus
            error={errorOf('item-label')}
            onValue={setLabel}
          />
          <Field
            id="item-url"
            label="URL"
            value={url}
            autoComplete="off"
            inputMode="url"
            error={errorOf('item-url')}
            hint="A path such as /club/sharks, or #."
            onValue={setUrl}
          />
          <Field
            id="item-order"
            label="Display order"
            value={place}
            inputMode="numeric"
            error={errorOf('item-order')}
            onValue={setPlace}
          />
          <CheckboxField id="item-visible" checked={isVisible} onChecked={setVisible}>
            Visible
          </CheckboxField>
        </>
      )}
    </FooterForm>
  );
}
