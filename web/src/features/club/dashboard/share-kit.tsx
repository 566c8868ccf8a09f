import './share-kit.css';
import { useSetAtom } from 'jotai';
import { downloadDrawPoster } from '@/api/endpoints/club';
import type { Draw } from '@/api/wire';
import { saveFile } from '@/shared/save-file';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { TextAreaField } from '@/shared/ui/choice-field';
import { Dialog } from '@/shared/ui/dialog';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { errorText } from '../data/error-text';
import { useHandleExpiredSession } from '../session/use-session';
import { teamsText } from './draw-labels';
import { shareTextsOf } from './share-kit-texts';

interface ShareKitDialogProps {
  draw: Draw | null;
  clubName: string;
  onClose: () => void;
}

/** Everything to tell supporters about a draw: ready texts, the story picture and the poster. */
export function ShareKitDialog({ draw, clubName, onClose }: ShareKitDialogProps) {
  return (
    <Dialog title="Share kit" open={draw !== null} onClose={onClose}>
      {draw ? <ShareKit draw={draw} clubName={clubName} /> : null}
    </Dialog>
  );
}

function ShareKit({ draw, clubName }: { draw: Draw; clubName: string }) {
  const showToast = useSetAtom(showToastAtom);
  const handleExpiredSession = useHandleExpiredSession();
  const story = `/og/draw/${draw.drawNumber}/story`;
  const onCopy = async (name: string, text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      showToast({ title: `${name} text copied` });
    } catch {
      showToast({ title: 'Unable to copy', text: 'Select the text and copy it.', bad: true });
    }
  };
  const onPoster = () =>
    void downloadDrawPoster(draw.drawNumber).then(
      saveFile,
      (error: unknown) =>
        handleExpiredSession(error) ||
        showToast({ title: C.downloadFailed, text: errorText(error, C.pleaseTryAgain), bad: true }),
    );
  return (
    <>
      <h3>{teamsText(draw)}</h3>
      {shareTextsOf(draw, clubName, window.location.origin).map(({ name, text, href }) => (
        <div className="share-text" key={name}>
          <TextAreaField
            id={`share-${name}`}
            label={name}
            rows={name === 'SMS' ? 3 : 5}
            readOnly
            value={text}
            onValue={() => {}}
          />
          <div className="row-actions">
            <button
              type="button"
              className="btn small sec"
              aria-label={`Copy the ${name} text`}
              onClick={() => void onCopy(name, text)}
            >
              Copy
            </button>
            <a
              className="btn small sec"
              href={href}
              aria-label={`Open ${name}`}
              {...(href.startsWith('https:')
                ? { target: '_blank', rel: 'noopener noreferrer' }
                : {})}
            >
              Open
            </a>
          </div>
        </div>
      ))}
      <h3>Pictures</h3>
      <div className="share-pictures">
        <img
          src={story}
          width="180"
          height="320"
          alt={`Story picture of ${teamsText(draw)} with prize, price and QR code`}
        />
        <div>
          <a className="btn small sec" href={story} download={`draw-${draw.drawNumber}-story.png`}>
            Story picture (PNG)
          </a>
          <button type="button" className="btn small sec" onClick={onPoster}>
            Poster with QR code (PDF)
          </button>
          <p className="meta">The story is 1080 by 1920 pixels, for Instagram and Facebook.</p>
        </div>
      </div>
    </>
  );
}
