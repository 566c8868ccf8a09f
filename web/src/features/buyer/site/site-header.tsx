import { useAtomValue } from 'jotai';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { configAtom } from '@/features/shared-live/live-atoms';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { CrossingLogo } from '@/shared/ui/crossing';
import { CloseIcon, MenuIcon } from '@/shared/ui/icons';

export function BrandLink({ dark = false }: { dark?: boolean }) {
  return (
    <Link className="brand" href="/" aria-label={S.brand}>
      <CrossingLogo dark={dark} />
      <span>
        Football <span>Doubles</span>
      </span>
    </Link>
  );
}

const NAVIGATION_LINKS = [
  { label: 'Home', href: '#main' },
  { label: 'How It Works', href: '#how-it-works' },
  { label: 'Find Draws', href: '#live-draws' },
];

/**
 * The header of the public pages. The landing page has the full navigation; other pages link to
 * home and support.
 */
export function SiteHeader({ full }: { full: boolean }) {
  const config = useAtomValue(configAtom);
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      setOpen(false);
      button.current?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [open]);
  const sms = `sms:${(config?.supportSms ?? '').replace(/\s/g, '')}`;
  const support = `mailto:${config?.supportEmail ?? ''}`;
  return (
    <header className="site-head">
      <div className="site-head-in">
        <BrandLink />
        {/* A new element for each kind of page: Chromium does not ask the container query again
            when only the font size of the container changes. */}
        <nav
          key={full ? 'full' : 'plain'}
          className={full ? 'site-nav full' : 'site-nav'}
          aria-label="Main"
        >
          {full
            ? NAVIGATION_LINKS.map(({ label, href }) => (
                <a key={href} href={href}>
                  {label}
                </a>
              ))
            : null}
          <a className="support-link" href={support}>
            Support
          </a>
          <a className="support-link" href={sms}>
            Text <span className="sms-long">{config?.supportSms}</span>
            <span className="sms-short">us</span>
          </a>
          {full ? (
            <a className="btn small sec" href="/admin/login">
              {S.clubLogin}
            </a>
          ) : null}
          {full ? (
            <button
              ref={button}
              type="button"
              className="icon-btn menu-button"
              aria-expanded={open}
              aria-controls={open ? 'site-menu' : undefined}
              aria-label={open ? 'Close menu' : 'Menu'}
              onClick={() => setOpen(!open)}
            >
              {open ? <CloseIcon /> : <MenuIcon />}
            </button>
          ) : null}
        </nav>
      </div>
      {full && open ? (
        <nav className="menu-sheet" id="site-menu" aria-label="Menu">
          {NAVIGATION_LINKS.map(({ label, href }) => (
            <a key={href} href={href} onClick={() => setOpen(false)}>
              {label}
            </a>
          ))}
          <a href={support}>
            Support<span className="menu-more">{config?.supportEmail}</span>
          </a>
          <a href={sms}>Text {config?.supportSms}</a>
          <a href="/admin/login">{S.clubLogin}</a>
        </nav>
      ) : null}
    </header>
  );
}
