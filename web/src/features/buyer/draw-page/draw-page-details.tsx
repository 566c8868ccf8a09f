import { Link } from 'wouter';
import type { Draw } from '@/api/wire';
import { HowItWorks } from '@/features/buyer/site/how-it-works';
import { SupportContacts } from '@/features/buyer/site/support-contacts';
import { PUBLIC_TEXTS as S } from '@/shared/strings';

/** The content beside or below the purchase form: help, and how the game works. */
export function DrawPageDetails({ draw }: { draw: Draw }) {
  return (
    <div className="more stack">
      <section className="card panel" aria-labelledby="help-title">
        <h2 id="help-title">{S.needHelp}</h2>
        {/* An archived club has no page to link to (decision H-3). */}
        <p>
          This draw is run by{' '}
          {draw.clubSelling === false ? (
            draw.clubName
          ) : (
            <Link href={`/club/${draw.clubSlug}`}>{draw.clubName}</Link>
          )}
          .
        </p>
        {draw.contactName ? (
          <p>
            Questions about this draw: {draw.contactName}
            {draw.contactPhone ? (
              <>
                , <a href={`tel:${draw.contactPhone.replace(/\s/g, '')}`}>{draw.contactPhone}</a>
              </>
            ) : null}
            .
          </p>
        ) : null}
        <p>Payments and tickets:</p>
        <SupportContacts />
      </section>
      <section className="card panel" aria-labelledby="how-title">
        <h2 id="how-title">{S.howItWorks}</h2>
        <HowItWorks />
        {draw.commitment ? (
          <p className="meta proof-line">
            The order of tickets was fixed before the first sale.{' '}
            <a href={`/verify/${draw.drawNumber}`}>Check it yourself</a>
          </p>
        ) : null}
      </section>
    </div>
  );
}
