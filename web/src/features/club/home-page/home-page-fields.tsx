import type { RefObject } from 'react';
import type { HomePageRequest } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { TextAreaField } from '@/shared/ui/choice-field';
import { CheckboxField, Field } from '@/shared/ui/field';
import { ProblemList, type FormProblem } from '@/shared/ui/problem-list';
import { ColourField, type ReadableTextColour } from './colour-field';
import { sanitiseSlugInput } from './home-page-rules';
import { LogoField } from './logo-field';
import { PictureField } from './picture-field';

interface HomePageFieldsProps {
  page: HomePageRequest;
  onPage: (page: HomePageRequest) => void;
  errorOf: (field: string) => string | null;
  problems: readonly FormProblem[];
  list: RefObject<HTMLDivElement | null>;
  refusal: string | null;
  readable: (colour: string) => ReadableTextColour;
  onCopy: () => void;
}

const PHOTO_LIMITS = { width: 1200, height: 800, type: 'image/jpeg' } as const;
const SPONSOR_LOGO_LIMITS = { width: 480, height: 240, type: 'image/png' } as const;
const COLOUR_FIELDS = [
  { field: 'primaryColor', label: 'Primary colour', what: 'The head of the page' },
  { field: 'secondaryColor', label: 'Secondary colour', what: 'The band under it' },
  { field: 'accentColor', label: 'Accent colour', what: 'Buttons' },
] as const;

export function HomePageFields({
  page,
  onPage,
  errorOf,
  problems,
  list,
  refusal,
  readable,
  onCopy,
}: HomePageFieldsProps) {
  const set = (more: Partial<HomePageRequest>) => onPage({ ...page, ...more });
  return (
    <div className="form-groups">
      <ProblemList problems={problems} ref={list} />
      {refusal ? (
        <div className="callout is-bad" role="alert">
          <strong>{C.failedToUpdateHomePage}</strong>
          {refusal}
        </div>
      ) : null}
      <fieldset className="group">
        <legend>Page</legend>
        <Field
          id="page-homePageSlug"
          label="Page name"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={50}
          value={page.homePageSlug}
          hint={`${window.location.host}/club/${page.homePageSlug}`}
          error={errorOf('page-homePageSlug')}
          onValue={(typed) => set({ homePageSlug: sanitiseSlugInput(typed) })}
        />
        <div className="row-actions">
          <button type="button" className="btn small sec" onClick={onCopy}>
            {C.copyUrl}
          </button>
        </div>
        <Field
          id="page-homePageTitle"
          label="Title"
          maxLength={100}
          value={page.homePageTitle}
          error={errorOf('page-homePageTitle')}
          onValue={(homePageTitle) => set({ homePageTitle })}
        />
        <TextAreaField
          id="page-homePageTagline"
          label="Tagline"
          maxLength={200}
          value={page.homePageTagline}
          hint={`${page.homePageTagline.trim().length}/200`}
          error={errorOf('page-homePageTagline')}
          onValue={(homePageTagline) => set({ homePageTagline })}
        />
        <CheckboxField
          id="page-homePageEnabled"
          checked={page.homePageEnabled}
          onChecked={(homePageEnabled) => set({ homePageEnabled })}
        >
          Show this page to the public
        </CheckboxField>
      </fieldset>
      <fieldset className="group">
        <legend>Logo</legend>
        <LogoField
          value={page.logoUrl}
          error={errorOf('page-logoUrl')}
          onValue={(logoUrl) => set({ logoUrl })}
        />
      </fieldset>
      <fieldset className="group">
        <legend>Colours</legend>
        {COLOUR_FIELDS.map(({ field, label, what }) => (
          <ColourField
            key={field}
            id={`page-${field}`}
            label={label}
            what={what}
            value={page[field]}
            error={errorOf(`page-${field}`)}
            readable={readable}
            onValue={(colour) => set({ [field]: colour })}
          />
        ))}
      </fieldset>
      <fieldset className="group">
        <legend>Your story</legend>
        <PictureField
          id="page-photoUrl"
          label="Photo for the top of the page (PNG or JPG)"
          what="photo"
          value={page.photoUrl}
          error={errorOf('page-photoUrl')}
          limits={PHOTO_LIMITS}
          onValue={(photoUrl) => set({ photoUrl })}
        />
        <Field
          id="page-goalText"
          label="What you raise money for (optional)"
          maxLength={80}
          value={page.goalText}
          hint="Completes the sentence “64% of the way to …”, for example: new boots for 90 juniors"
          error={errorOf('page-goalText')}
          onValue={(goalText) => set({ goalText })}
        />
        <Field
          id="page-goalAmount"
          label="Goal in dollars"
          inputMode="decimal"
          maxLength={10}
          value={page.goalAmount}
          hint="What is raised so far comes from your completed draws: ticket sales without the prizes won."
          error={errorOf('page-goalAmount')}
          onValue={(goalAmount) => set({ goalAmount: goalAmount.replace(/[$,\s]/g, '') })}
        />
      </fieldset>
      <fieldset className="group">
        <legend>Sponsor</legend>
        <Field
          id="page-sponsorName"
          label="Sponsor’s name (optional)"
          maxLength={40}
          value={page.sponsorName}
          hint="On your page and on your boards."
          error={errorOf('page-sponsorName')}
          onValue={(sponsorName) => set({ sponsorName })}
        />
        <PictureField
          id="page-sponsorLogoUrl"
          label="Sponsor’s logo (PNG or JPG)"
          what="sponsor’s logo"
          value={page.sponsorLogoUrl}
          error={errorOf('page-sponsorLogoUrl')}
          limits={SPONSOR_LOGO_LIMITS}
          onValue={(sponsorLogoUrl) => set({ sponsorLogoUrl })}
        />
      </fieldset>
      <fieldset className="group">
        <legend>Facebook pixel</legend>
        <Field
          id="page-facebookPixelId"
          label="Pixel ID (optional)"
          inputMode="numeric"
          maxLength={20}
          value={page.facebookPixelId}
          error={errorOf('page-facebookPixelId')}
          onValue={(facebookPixelId) => set({ facebookPixelId: facebookPixelId.trim() })}
        />
        <p className="callout is-warn">
          Your club is responsible for privacy consent. Visitors are asked first, and nothing is
          loaded before they allow it.
        </p>
      </fieldset>
    </div>
  );
}
