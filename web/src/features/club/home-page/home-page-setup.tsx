import './home-page.css';
import { useSetAtom, useStore } from 'jotai';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { CLUB_API_PATHS, saveHomePage } from '@/api/endpoints/club';
import { HttpError } from '@/api/http';
import type { HomePageRequest, OwnClub } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { usePageTitle } from '@/shared/ui/page-title';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { cacheResponseAtom } from '../data/query-atoms';
import { copyToClipboard } from '../data/copy';
import { fieldProblemsOfError, errorText } from '../data/error-text';
import { useQuery } from '../data/use-query';
import { useFormProblems } from '../data/use-form-problems';
import { BackLink, archivedText } from '../frame/club-frame';
import { ClubPageSkeleton, AccessDenied, ClubLoadError } from '../frame/club-page';
import type { ClubPageContext } from '../frame/club-page';
import { UnsavedChangesGuard } from '../frame/unsaved-changes-guard';
import { Tabs } from '../frame/tabs';
import { useIsWideViewport } from '../frame/use-wide';
import { OWNERS_ONLY_TEXT, isOwner } from '../session/roles';
import { sessionAtom } from '../session/session-atoms';
import { useMutation } from '../session/use-session';
import { adminPath, rememberUser } from '../session/user';
import type { ReadableTextColour } from './colour-field';
import { HomePageFields } from './home-page-fields';
import {
  homePageFieldId,
  homePageProblems,
  homePageRequestOf,
  savedHomePage,
} from './home-page-rules';

export interface HomePageSetupProps {
  here: ClubPageContext;
  /** Renders the header of the club's public page with the typed values. */
  preview: (club: OwnClub) => ReactNode;
  readable: (colour: string) => ReadableTextColour;
}

export function HomePageSetup(props: HomePageSetupProps) {
  return isOwner(props.here.club) ? (
    <OwnerHomePageSetup {...props} />
  ) : (
    <AccessDenied title="Club home page" text={OWNERS_ONLY_TEXT} club={props.here.club} />
  );
}

function OwnerHomePageSetup(props: HomePageSetupProps) {
  const { data, problem, retry } = useQuery<OwnClub>(CLUB_API_PATHS.club(props.here.club.id));
  usePageTitle('Club home page');
  if (data) return <HomePageSetupForm {...props} club={data} />;
  return problem ? (
    <ClubLoadError text={C.failedToLoadClubPage} onRetry={retry} />
  ) : (
    <ClubPageSkeleton />
  );
}

function HomePageSetupForm({
  here,
  club,
  preview,
  readable,
}: HomePageSetupProps & { club: OwnClub }) {
  const [page, setPage] = useState(() => homePageRequestOf(club));
  const [dirty, setDirty] = useState(false);
  const [chosen, setChosen] = useState('edit');
  const [refusal, setRefusal] = useState<string | null>(null);
  const { problems, list, errorOf, report } = useFormProblems();
  const { pending, run } = useMutation();
  const showToast = useSetAtom(showToastAtom);
  const keep = useSetAtom(cacheResponseAtom);
  const moveTo = useNavigateToNewSlug(here);
  const wide = useIsWideViewport();
  const change = (next: HomePageRequest) => {
    setPage(next);
    setDirty(true);
  };
  const refuse = (error: unknown) => {
    const slugTaken =
      error instanceof HttpError && error.code === 'slug-taken'
        ? [{ field: homePageFieldId('homePageSlug'), text: errorText(error, C.pageNameCharacters) }]
        : [];
    const wrong = [...fieldProblemsOfError(error, homePageFieldId), ...slugTaken];
    if (wrong.length > 0) return void report(wrong, C.failedToUpdateHomePage);
    setRefusal(errorText(error, C.pleaseTryAgain));
    showToast({
      title: C.failedToUpdateHomePage,
      text: errorText(error, C.pleaseTryAgain),
      bad: true,
    });
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setRefusal(null);
    if (here.club.archived) return;
    if (!report(homePageProblems(page))) return setChosen('edit');
    void run(async () => {
      const saved = await saveHomePage(here.club.id, savedHomePage(page));
      setDirty(false);
      setPage(homePageRequestOf({ ...club, ...saved }));
      keep(CLUB_API_PATHS.club(here.club.id), { ...club, ...saved });
      showToast({ title: C.homePageUpdated });
      if (saved.homePageSlug && saved.homePageSlug !== here.club.slug) moveTo(saved.homePageSlug);
    }, refuse);
  };
  const onCopy = async () => {
    await copyToClipboard(`${window.location.origin}/club/${page.homePageSlug}`);
    showToast({ title: C.urlCopied });
  };
  const fields = (
    <HomePageFields
      page={page}
      onPage={change}
      errorOf={errorOf}
      problems={problems}
      list={list}
      refusal={refusal}
      readable={readable}
      onCopy={() => void onCopy()}
    />
  );
  const shown = (
    <InertPreview>
      {preview({
        ...club,
        ...page,
        logoUrl: page.logoUrl || null,
        photoUrl: page.photoUrl || null,
      })}
    </InertPreview>
  );
  return (
    <main className="admin" id="main">
      <BackLink club={here.club} />
      <h1>Club home page</h1>
      {here.club.archived ? <p className="callout is-warn">{archivedText(here.club)}</p> : null}
      <form className="page-form" onSubmit={onSubmit} noValidate>
        {wide ? (
          <div className="setup-sides">
            {fields}
            {shown}
          </div>
        ) : (
          <Tabs
            label="Home page"
            chosen={chosen}
            onChosen={setChosen}
            tabs={[
              { key: 'edit', label: 'Edit', body: fields },
              { key: 'preview', label: 'Preview', body: shown },
            ]}
          />
        )}
        <div className="sticky-bar">
          <button type="submit" className="btn" aria-disabled={pending || here.club.archived}>
            Save home page
          </button>
        </div>
      </form>
      <UnsavedChangesGuard dirty={dirty} />
    </main>
  );
}

/**
 * Returns a function that opens this page at its new URL after the slug was changed, because the
 * URLs of the club's pages contain the slug (specification line B:212).
 */
function useNavigateToNewSlug({ user, club }: ClubPageContext): (slug: string) => void {
  const store = useStore();
  const [, navigate] = useLocation();
  return (slug) => {
    const session = store.get(sessionAtom);
    if (session.state === 'in' && !user.isAdmin && user.id === club.id) {
      const renamed = { ...session.whoami.user, clubSlug: slug };
      rememberUser(renamed);
      store.set(sessionAtom, {
        state: 'in',
        whoami: { ...session.whoami, clubSlug: slug, user: renamed },
      });
    }
    navigate(adminPath(slug, 'home-page-setup'), { replace: true });
  };
}

/** Wraps the preview as inert: its controls cannot be used and screen readers skip it. */
function InertPreview({ children }: { children: ReactNode }) {
  return (
    <section className="setup-preview" aria-label="Preview">
      <p className="meta">Preview</p>
      <div className="card preview-card" inert>
        {children}
      </div>
    </section>
  );
}
