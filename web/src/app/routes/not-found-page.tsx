import { Link } from 'wouter';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';

export function Page() {
  usePageTitle(S.pageNotFound);
  return (
    <main className="plain-page" id="main">
      <h1>{S.pageNotFound}</h1>
      <p>There is nothing at this address. It may have moved, or the link may be cut short.</p>
      <div className="actions">
        <Link className="btn" href="/">
          Home
        </Link>
        <Link className="btn sec" href="/#live-draws">
          Find Draws
        </Link>
      </div>
    </main>
  );
}
