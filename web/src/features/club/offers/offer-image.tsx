import { useSetAtom } from 'jotai';
import { useState } from 'react';
import { CLUB_API_PATHS, uploadOfferImage } from '@/api/endpoints/club';
import type { OwnClub } from '@/api/wire-club';
import { readableTextColourOn, clubThemeOf } from '@/shared/club-colours';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { readAsDataUrl } from '../data/read-file';
import { errorText } from '../data/error-text';
import { useQuery } from '../data/use-query';
import { useHandleExpiredSession } from '../session/use-session';
import { imageProblem } from './offer-rules';

interface OfferImageFieldProps {
  clubSlug: string;
  bundleSlug: string;
  name: string;
  tag: string;
  url: string;
  /**
   * URL of the share picture that the server draws for the saved offer; null while the offer is not
   * public or its name has an unsaved change.
   */
  drawn: string | null;
  readOnly: boolean;
  onUrl: (url: string) => void;
}

/**
 * Field for the share picture, 1200 × 630; the server draws one if it is missing. A removed file is
 * deleted only after the offer is saved without it.
 */
export function OfferImageField({
  clubSlug,
  bundleSlug,
  name,
  tag,
  url,
  drawn,
  readOnly,
  onUrl,
}: OfferImageFieldProps) {
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const showToast = useSetAtom(showToastAtom);
  const handleExpiredSession = useHandleExpiredSession();
  const complain = (title: string, text: string) => {
    setError(`${title}. ${text}`);
    showToast({ title, text, bad: true });
  };
  const take = async (file: File | undefined) => {
    if (!file || pending) return;
    const wrong = imageProblem(file);
    if (wrong) return complain(wrong.title, wrong.text);
    setPending(true);
    setError(null);
    try {
      const data = (await readAsDataUrl(file)).replace(/^data:[^,]*,/, '');
      const answer = await uploadOfferImage({
        filename: file.name,
        contentType: file.type,
        data,
        clubSlug,
        bundleSlug: bundleSlug || 'offer',
        desiredKey: file.name,
      });
      onUrl(answer.url);
    } catch (failure) {
      if (!handleExpiredSession(failure))
        complain(C.uploadError, errorText(failure, C.pleaseTryAgain));
    } finally {
      setPending(false);
    }
  };
  return (
    <div className="offer-image">
      <OfferSharePreview
        key={url || drawn}
        clubSlug={clubSlug}
        name={name}
        tag={tag}
        picture={url || drawn}
      />
      {readOnly ? null : (
        <div className="field">
          <label htmlFor="offer-image">Share image (JPG or PNG, 1200×630, at most 3MB)</label>
          <input
            id="offer-image"
            type="file"
            accept=".png,.jpg,.jpeg,image/png,image/jpeg"
            aria-describedby={error ? 'offer-image-error' : undefined}
            onChange={(event) => void take(event.currentTarget.files?.[0])}
          />
          {error ? (
            <span className="field-error" id="offer-image-error">
              {error}
            </span>
          ) : null}
        </div>
      )}
      {url && !readOnly ? (
        <div className="row-actions">
          <button type="button" className="btn small sec" onClick={() => onUrl('')}>
            Delete image
          </button>
        </div>
      ) : null}
    </div>
  );
}

/** Shows the picture, or the offer's name on the club's colours. */
function OfferSharePreview({
  clubSlug,
  name,
  tag,
  picture,
}: {
  clubSlug: string;
  name: string;
  tag: string;
  picture: string | null;
}) {
  const { data: club } = useQuery<OwnClub>(CLUB_API_PATHS.club(clubSlug), { opensLogin: false });
  const [broken, setBroken] = useState(false);
  const { primary } = clubThemeOf(club ?? {});
  return (
    <div
      className="share-card"
      role="img"
      aria-label="How the offer looks when it is shared"
      style={club ? { background: primary, color: readableTextColourOn(primary) } : undefined}
    >
      {picture && !broken ? (
        <img src={picture} onError={() => setBroken(true)} alt="" width="1200" height="630" />
      ) : (
        <span>
          <strong>{name || 'Your offer'}</strong>
          {tag ? <small>{tag}</small> : null}
        </span>
      )}
    </div>
  );
}
