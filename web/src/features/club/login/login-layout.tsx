import '../frame/frame.css';
import './login-layout.css';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { CrossingLogo } from '@/shared/ui/crossing';
import { usePageTitle } from '@/shared/ui/page-title';
import { ClubFooter } from '../frame/club-frame';

/** Layout of the pages before login: the logo, which links to the home page, and one card. */
export function LoginLayout({
  title,
  inError = false,
  children,
}: {
  title: string;
  inError?: boolean;
  children: ReactNode;
}) {
  usePageTitle(title, inError);
  return (
    <>
      <header className="site-head">
        <div className="site-head-in">
          <Link className="brand" href="/" aria-label={C.brand}>
            <CrossingLogo />
            <span>
              Football <span>Doubles</span>
            </span>
          </Link>
        </div>
      </header>
      <main className="login-page" id="main">
        {children}
      </main>
      <ClubFooter />
    </>
  );
}
