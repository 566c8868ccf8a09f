import { useSetAtom } from 'jotai';
import { useState } from 'react';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { Field } from '@/shared/ui/field';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { readAsDataUrl } from '../data/read-file';
import { logoProblem, logoWarning } from './home-page-rules';

interface LogoFieldProps {
  value: string;
  error: string | null;
  onValue: (url: string) => void;
}

/** Chooses the logo: an uploaded picture or the URL of one. */
export function LogoField({ value, error, onValue }: LogoFieldProps) {
  const [warning, setWarning] = useState<string | null>(null);
  const showToast = useSetAtom(showToastAtom);
  const uploaded = value.startsWith('data:') || value.startsWith('/uploads/');
  const take = async (file: File | undefined) => {
    if (!file) return;
    setWarning(null);
    const wrong = logoProblem(file);
    if (wrong) return showToast({ ...wrong, bad: true });
    try {
      onValue(await readAsDataUrl(file));
      setWarning(await logoWarning(file));
      showToast({ title: C.logoUploaded, text: 'Save the page to keep it.' });
    } catch {
      showToast({ title: C.uploadFailed, text: C.pleaseTryAgain, bad: true });
    }
  };
  return (
    <div className="logo-field">
      {value ? <img src={value} alt="The logo as chosen" width="64" height="64" /> : null}
      <div className="field">
        <label htmlFor="page-logo-file">Logo (PNG, JPG or SVG, at most 2MB)</label>
        <input
          id="page-logo-file"
          type="file"
          accept=".png,.jpg,.jpeg,.svg,image/png,image/jpeg,image/svg+xml"
          aria-describedby={warning ? 'page-logo-warning' : undefined}
          onChange={(event) => void take(event.currentTarget.files?.[0])}
        />
        {warning ? (
          <p className="callout is-warn" id="page-logo-warning" role="status">
            {warning}
          </p>
        ) : null}
      </div>
      {uploaded ? (
        <>
          {error ? <p className="field-error">{error}</p> : null}
          <div className="row-actions">
            <button
              type="button"
              id="page-logoUrl"
              className="btn small sec"
              onClick={() => onValue('')}
            >
              Remove logo
            </button>
          </div>
        </>
      ) : (
        <Field
          id="page-logoUrl"
          label="Or its web address"
          type="url"
          inputMode="url"
          value={value}
          error={error}
          onValue={onValue}
        />
      )}
    </div>
  );
}
