import './draw-form.css';
import { useAtomValue, useSetAtom } from 'jotai';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { CLUB_API_PATHS, changeDraw } from '@/api/endpoints/club';
import { HttpError } from '@/api/http';
import type { OwnDraw } from '@/api/wire-club';
import { configAtom, nowAtom } from '@/features/shared-live/live-atoms';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { usePageTitle } from '@/shared/ui/page-title';
import { ProblemList } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { drawBadgesOf, teamsText } from '../dashboard/draw-labels';
import { markPathsChangedAtom } from '../data/query-atoms';
import { fieldProblemsOfError, errorText } from '../data/error-text';
import { isNotFoundError, useQuery } from '../data/use-query';
import { useFormProblems } from '../data/use-form-problems';
import { BackLink, archivedText } from '../frame/club-frame';
import { ClubPageSkeleton, ClubLoadError, type ClubPageContext } from '../frame/club-page';
import { UnsavedChangesGuard } from '../frame/unsaved-changes-guard';
import { SELLERS_ONLY_TEXT, canSell } from '../session/roles';
import { useMutation } from '../session/use-session';
import {
  ContactFieldset,
  FormCard,
  GameFieldset,
  LockedPriceFieldset,
  CardFeeFieldset,
  PriceFieldset,
  ReasonFieldset,
} from './draw-fieldsets';
import {
  toEditDrawRequest,
  editedDrawPrizePercentages,
  editedDrawProblems,
  drawFieldId,
  fieldsOfDraw,
  notEditableReason,
  reasonProblems,
} from './draw-rules';

/**
 * Sends a change. Resolves to false when the operator cancelled the code prompt and nothing was
 * sent.
 */
export type SendDrawChange = (change: () => Promise<unknown>) => Promise<boolean>;

const sendDrawChangeDirectly: SendDrawChange = async (change) => {
  await change();
  return true;
};

interface EditDrawPageProps {
  here: ClubPageContext;
  number: number;
  /** Sends the operator's change, which requires a fresh authenticator code (decision E-9). */
  send?: SendDrawChange;
}

/**
 * Loads the draw, then shows the form. A draw of another club shows the same page as a missing draw
 * (decision G-1).
 */
export function EditDrawPage({ here, number, send = sendDrawChangeDirectly }: EditDrawPageProps) {
  const { data: draw, problem, retry } = useQuery<OwnDraw>(CLUB_API_PATHS.draw(number));
  usePageTitle(draw ? `Edit ${teamsText(draw)}` : C.editDraw);
  if (draw && draw.ownedByCaller !== false && (here.user.isAdmin || draw.clubId === here.club.id))
    return (
      <EditForm
        key={draw.drawNumber}
        here={here}
        draw={draw}
        send={here.user.isAdmin ? send : sendDrawChangeDirectly}
      />
    );
  if (draw || isNotFoundError(problem))
    return <DrawEditRefusalNotice here={here} text={C.notYourDraw} />;
  return problem ? (
    <ClubLoadError text={C.failedToFetchDraw} onRetry={retry} />
  ) : (
    <ClubPageSkeleton />
  );
}

/**
 * Link for a mail that asks the operator to move the draw or to refund it, because the club cannot
 * change a draw after kick-off (decision E-9).
 */
function PostponedNotice({ draw }: { draw: OwnDraw }) {
  const support = useAtomValue(configAtom)?.supportEmail;
  if (!support) return null;
  const subject = `${draw.serialNumber} ${teamsText(draw)}: postponed or abandoned`;
  return (
    <p>
      Was the game postponed or abandoned?{' '}
      <a href={`mailto:${support}?subject=${encodeURIComponent(subject)}`}>Ask the operator</a> to
      move its kick-off or to refund every buyer.
    </p>
  );
}

function DrawEditRefusalNotice({
  here,
  text,
  title = C.editDraw,
  children,
}: {
  here: ClubPageContext;
  text: string;
  title?: string;
  children?: ReactNode;
}) {
  return (
    <main className="admin" id="main">
      <BackLink club={here.club} />
      <h1>{title}</h1>
      <p className="callout is-warn" role="alert">
        {text}
      </p>
      {children}
    </main>
  );
}

function EditHeading({ draw }: { draw: OwnDraw }) {
  const now = useAtomValue(nowAtom);
  return (
    <div className="admin-head">
      <h1>
        {C.editDraw}: {teamsText(draw)}
      </h1>
      <div className="badges">
        {drawBadgesOf(draw, now).map(({ text, tone }) => (
          <span className={`badge ${tone}`} key={text}>
            {text}
          </span>
        ))}
        <span className="badge">
          {draw.ticketsSold} {draw.ticketsSold === 1 ? 'ticket' : 'tickets'} sold
        </span>
      </div>
    </div>
  );
}

function EditForm({
  here: { club, user },
  draw,
  send,
}: {
  here: ClubPageContext;
  draw: OwnDraw;
  send: SendDrawChange;
}) {
  const now = useAtomValue(nowAtom);
  const allowed = useAtomValue(configAtom)?.feePassthroughAllowed ?? true;
  const [began] = useState(() => notEditableReason(draw, now));
  const [fields, setFields] = useState(() => fieldsOfDraw(draw));
  const [reason, setReason] = useState('');
  const [dirty, setDirty] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const { problems, list, errorOf, report } = useFormProblems();
  const { pending, run } = useMutation();
  const showToast = useSetAtom(showToastAtom);
  const changed = useSetAtom(markPathsChangedAtom);
  const [, navigate] = useLocation();
  const barred = archivedText(club) ?? (canSell(club) ? null : SELLERS_ONLY_TEXT);
  if (barred)
    return <DrawEditRefusalNotice here={{ club, user }} title={teamsText(draw)} text={barred} />;
  if (began)
    return (
      <DrawEditRefusalNotice here={{ club, user }} title={teamsText(draw)} text={began}>
        {began === C.gameAlreadyStarted ? <PostponedNotice draw={draw} /> : null}
      </DrawEditRefusalNotice>
    );
  const { locked } = draw;
  const refuse = (error: unknown) => {
    const wrong = fieldProblemsOfError(error, drawFieldId);
    if (wrong.length > 0) return void report(wrong, C.failedToUpdateDraw);
    const text = errorText(error, C.updateFailedText);
    setRefusal(text);
    showToast({ title: C.failedToUpdateDraw, text, bad: true });
    // A ticket was sold while the form was open: reload to show the locked fields (decision E-12).
    if (error instanceof HttpError && error.status === 409)
      changed(CLUB_API_PATHS.draw(draw.drawNumber));
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setRefusal(null);
    if (!report([...editedDrawProblems(fields), ...(user.isAdmin ? reasonProblems(reason) : [])]))
      return;
    const request = {
      ...toEditDrawRequest(fields, locked),
      ...(user.isAdmin ? { reason: reason.trim() } : {}),
    };
    void run(async () => {
      if (!(await send(() => changeDraw(draw.drawNumber, request)))) return;
      setDirty(false);
      changed(CLUB_API_PATHS.draws(club.id), CLUB_API_PATHS.draw(draw.drawNumber));
      showToast({ title: 'Draw updated' });
      navigate('/admin');
    }, refuse);
  };
  const group = {
    fields,
    errorOf,
    onFields: (next: typeof fields) => {
      setFields(next);
      setDirty(true);
    },
  };
  return (
    <main className="admin" id="main">
      <BackLink club={club} />
      <EditHeading draw={draw} />
      <form className="page-form" onSubmit={onSubmit} noValidate>
        <ProblemList problems={problems} ref={list} />
        {refusal ? (
          <div className="callout is-bad" role="alert">
            <strong>{C.failedToUpdateDraw}</strong>
            {refusal}
          </div>
        ) : null}
        <FormCard>
          <GameFieldset {...group} />
          {locked ? (
            <LockedPriceFieldset fields={fieldsOfDraw(draw)} sold={draw.ticketsSold} />
          ) : (
            <PriceFieldset
              {...group}
              choices={editedDrawPrizePercentages(draw.prizePercentage)}
              min="0.01"
            />
          )}
          {draw.passStripeFees && !allowed ? <CardFeeFieldset {...group} allowed={false} /> : null}
          <ContactFieldset {...group} />
          {user.isAdmin ? (
            <ReasonFieldset reason={reason} onReason={setReason} error={errorOf('draw-reason')} />
          ) : null}
        </FormCard>
        <div className="sticky-bar">
          <button type="submit" className="btn" aria-disabled={pending}>
            Save changes
          </button>
        </div>
      </form>
      <UnsavedChangesGuard dirty={dirty} />
    </main>
  );
}
