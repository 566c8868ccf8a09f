import { useSetAtom } from 'jotai';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { scaledPicture, type PictureLimits } from '../data/scaled-picture';

interface PictureFieldProps {
  /** Id of the file field. */
  id: string;
  label: string;
  /** What the picture is, as in 'Remove photo'. */
  what: string;
  value: string;
  error: string | null;
  limits: PictureLimits;
  onValue: (url: string) => void;
}

/** Chooses a picture, which is scaled down in the browser before it is sent. */
export function PictureField(props: PictureFieldProps) {
  const { id, label, what, value, error, limits, onValue } = props;
  const showToast = useSetAtom(showToastAtom);
  const take = async (file: File | undefined) => {
    if (!file) return;
    try {
      onValue(await scaledPicture(file, limits));
    } catch {
      showToast({ title: C.uploadFailed, text: 'Please choose a PNG or JPG picture.', bad: true });
    }
  };
  return (
    <div className="logo-field">
      {value ? <img src={value} alt={`The ${what} as chosen`} height="64" /> : null}
      <div className="field">
        <label htmlFor={id}>{label}</label>
        <input
          id={id}
          type="file"
          accept=".png,.jpg,.jpeg,image/png,image/jpeg"
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          onChange={(event) => void take(event.currentTarget.files?.[0])}
        />
        {error ? (
          <span className="field-error" id={`${id}-error`}>
            {error}
          </span>
        ) : null}
      </div>
      {value ? (
        <div className="row-actions">
          <button type="button" className="btn small sec" onClick={() => onValue('')}>
            Remove {what}
          </button>
        </div>
      ) : null}
    </div>
  );
}
