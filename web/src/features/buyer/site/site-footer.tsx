import { useAtomValue } from 'jotai';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { fetchFooterMenus } from '@/api/endpoints/buyer';
import type { FooterMenu } from '@/api/wire';
import { SupportContacts } from './support-contacts';
import { buildVersionAtom, configAtom } from '@/features/shared-live/live-atoms';
import { BrandLink } from './site-header';

/**
 * The operator's footer menus and the fixed Support block. Without menus, only the Support block is
 * shown.
 */
export function SiteFooter() {
  const [menus, setMenus] = useState<readonly FooterMenu[]>([]);
  const version = useAtomValue(buildVersionAtom);
  const config = useAtomValue(configAtom);
  const [path] = useLocation();
  // Reads the menus again on the next page and when the reader comes back to the tab, so that an
  // open page shows the operator's changes.
  useEffect(() => {
    const read = () => {
      if (document.visibilityState === 'visible') void fetchFooterMenus().then(setMenus, () => {});
    };
    read();
    document.addEventListener('visibilitychange', read);
    return () => document.removeEventListener('visibilitychange', read);
  }, [path]);
  return (
    <footer className="site-foot">
      <div className="wrap">
        <div>
          <BrandLink dark />
          <p>
            <small>
              18+ only. For supporters in Australia. Winners are paid by the club that runs the
              draw.
            </small>
          </p>
          <p>
            <small>
              A ticket supports your club. Never spend more than you can give. Free help, day and
              night: <a href="tel:1800858858">Gambling Help 1800 858 858</a>
            </small>
          </p>
          <p>
            <small>
              <Link href="/privacy">Privacy</Link> ·{' '}
              <a
                href={
                  config?.sourceUrl ?? `mailto:${config?.supportEmail ?? ''}?subject=Source%20code`
                }
              >
                Source code (AGPL)
              </a>
            </small>
          </p>
          {version ? (
            <p>
              <small>Version {version}</small>
            </p>
          ) : null}
        </div>
        {menus.map((menu) => (
          <nav key={menu.id} aria-label={menu.heading}>
            <h2>{menu.heading}</h2>
            <ul>
              {menu.items.map((item) => (
                <li key={item.id}>
                  <a href={item.url}>{item.label}</a>
                </li>
              ))}
            </ul>
          </nav>
        ))}
        <div>
          <h2>Support</h2>
          <SupportContacts />
          <Link href="/my">Lost your tickets?</Link>
        </div>
      </div>
    </footer>
  );
}
