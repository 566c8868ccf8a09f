import './draw-form.css';
import { useAtomValue, useSetAtom } from 'jotai';
import { useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { CLUB_API_PATHS, checkDraw, createDraw, fetchDrawTemplate } from '@/api/endpoints/club';
import { HttpError } from '@/api/http';
import { isSessionExpiredError } from '@/api/session-expired';
import { configAtom } from '@/features/shared-live/live-atoms';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { usePageTitle } from '@/shared/ui/page-title';
import { ProblemList } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { markPathsChangedAtom } from '../data/query-atoms';
import { fieldProblemsOfError, errorText } from '../data/error-text';
import { isNotFoundError } from '../data/use-query';
import { useFormProblems } from '../data/use-form-problems';
import { FixturesImport } from '../fixtures/fixtures-import';
import { BackLink, archivedText } from '../frame/club-frame';
import type { ClubPageContext } from '../frame/club-page';
import { UnsavedChangesGuard } from '../frame/unsaved-changes-guard';
import { Tabs } from '../frame/tabs';
import { SELLERS_ONLY_TEXT, canSell } from '../session/roles';
import { useMutation } from '../session/use-session';
import {
  ContactFieldset,
  FormCard,
  GameFieldset,
  CardFeeFieldset,
  PriceFieldset,
} from './draw-fieldsets';
import {
  newDrawPrizePercentages,
  newDrawProblems,
  toCreateDrawRequest,
  drawFieldId,
  fieldsOfTemplate,
} from './draw-rules';
import { RevenueSummaryLine, RevenuePanel } from './revenue-panel';
import { ServiceTermsDialog } from './service-terms-dialog';
import { useDrawDraft } from './use-draft';

export function CreateDrawPage({ here }: { here: ClubPageContext }) {
  usePageTitle(C.createDraw);
  return (
    <main className="admin" id="main">
      <BackLink club={here.club} />
      <h1>{C.createDraw}</h1>
      {here.club.archived ? (
        <p className="callout is-warn">{archivedText(here.club)}</p>
      ) : canSell(here.club) ? (
        <GameOrSeasonTabs here={here} />
      ) : (
        <p className="callout is-warn">{SELLERS_ONLY_TEXT}</p>
      )}
    </main>
  );
}

function GameOrSeasonTabs({ here }: { here: ClubPageContext }) {
  const [chosen, setChosen] = useState('one');
  return (
    <Tabs
      label="What to create"
      chosen={chosen}
      onChosen={setChosen}
      tabs={[
        { key: 'one', label: 'One game', body: <SingleGameForm here={here} /> },
        { key: 'season', label: 'A season (CSV)', body: <FixturesImport here={here} /> },
      ]}
    />
  );
}

interface DrawCreationRefusal {
  text: string;
  /**
   * Number of an existing draw for the same game, or null. The draw may come from an earlier
   * request whose response was lost.
   */
  draw: number | null;
}

function drawCreationRefusalOf(error: unknown): DrawCreationRefusal {
  const draw =
    error instanceof HttpError && error.code === 'draw-exists' ? error.body.drawNumber : null;
  return {
    text: errorText(error, C.pleaseTryAgain),
    draw: typeof draw === 'number' ? draw : null,
  };
}

function DrawCreationRefusalNotice({ refusal: { text, draw } }: { refusal: DrawCreationRefusal }) {
  return (
    <div className="callout is-bad" role="alert">
      <strong>{C.failedToCreateDraw}</strong>
      {text}
      {draw === null ? null : (
        <>
          {' '}
          <a href={`/draw/${draw}`} target="_blank" rel="noopener">
            {C.viewPublic}
          </a>
        </>
      )}
    </div>
  );
}

function SingleGameForm({ here: { club } }: { here: ClubPageContext }) {
  const { fields, dirty, change, forget } = useDrawDraft(club.id);
  const { problems, list, errorOf, report } = useFormProblems();
  const [agreeing, setAgreeing] = useState(false);
  const [refusal, setRefusal] = useState<DrawCreationRefusal | null>(null);
  const allowed = useAtomValue(configAtom)?.feePassthroughAllowed ?? true;
  // Passes the fee on only where that is allowed: drafts and templates may predate the rule that
  // the club bears the card fee.
  const sent = { ...fields, passStripeFees: fields.passStripeFees && allowed };
  const { pending, run } = useMutation();
  const showToast = useSetAtom(showToastAtom);
  const changed = useSetAtom(markPathsChangedAtom);
  const [, navigate] = useLocation();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setRefusal(null);
    if (!report(newDrawProblems(fields))) return;
    // The server checks the draw before the terms are shown, so that nobody agrees to the terms of
    // a draw that is then refused.
    void run(async () => {
      await checkDraw(club.id, toCreateDrawRequest(sent));
      setAgreeing(true);
    }, refuse);
  };
  const refuse = (error: unknown) => {
    setAgreeing(false);
    const wrong = fieldProblemsOfError(error, drawFieldId);
    if (wrong.length > 0) return void report(wrong, C.failedToCreateDraw);
    const refused = drawCreationRefusalOf(error);
    setRefusal(refused);
    showToast({ title: C.failedToCreateDraw, text: refused.text, bad: true });
  };
  const create = async () => {
    try {
      const draw = await createDraw(club.id, toCreateDrawRequest(sent));
      forget();
      changed(CLUB_API_PATHS.draws(club.id), CLUB_API_PATHS.stats(club.id));
      showToast({ title: `${draw.homeTeam} v ${draw.awayTeam} is on sale` });
      navigate('/admin');
    } catch (error) {
      // Passes the error on, because its handler opens the login above this dialog, which keeps the
      // typed fields and the agreement.
      if (isSessionExpiredError(error)) throw error;
      refuse(error);
    }
  };
  const duplicate = () =>
    run(
      async () => change(fieldsOfTemplate(await fetchDrawTemplate(club.id))),
      (error) =>
        showToast({
          title: isNotFoundError(error)
            ? 'There is no draw to duplicate yet.'
            : errorText(error, C.pleaseTryAgain),
          bad: true,
        }),
    );
  const group = { fields, onFields: change, errorOf };
  return (
    <form className="page-form" onSubmit={onSubmit} noValidate>
      <div className="row-actions">
        <button
          type="button"
          className="btn small sec"
          aria-disabled={pending}
          onClick={() => void duplicate()}
        >
          Duplicate last draw
        </button>
      </div>
      <ProblemList problems={problems} ref={list} />
      {refusal ? <DrawCreationRefusalNotice refusal={refusal} /> : null}
      <div className="form-layout has-side">
        <FormCard>
          <GameFieldset {...group} />
          <PriceFieldset
            {...group}
            choices={newDrawPrizePercentages(fields.prizePercentage)}
            min="0"
          />
          <CardFeeFieldset {...group} allowed={allowed} />
          <ContactFieldset {...group} />
        </FormCard>
        <RevenuePanel fields={sent} />
      </div>
      <div className="sticky-bar">
        <RevenueSummaryLine fields={sent} />
        <button type="submit" className="btn">
          {C.createDraw}
        </button>
      </div>
      <ServiceTermsDialog
        club={club.id}
        open={agreeing}
        purpose={C.createDraw}
        onClose={() => setAgreeing(false)}
        onAgreed={create}
      />
      <UnsavedChangesGuard dirty={dirty} />
    </form>
  );
}
