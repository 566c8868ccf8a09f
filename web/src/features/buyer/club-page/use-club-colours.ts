import { useLayoutEffect } from 'react';
import { clubColourVariables } from '@/shared/club-colours';

/** Applies a club's colours to the whole page, including the footer, while its screen is open. */
export function useClubColours(club: Parameters<typeof clubColourVariables>[0] | null): void {
  const colours = club ? clubColourVariables(club) : null;
  const key = colours ? Object.values(colours).join(' ') : '';
  useLayoutEffect(() => {
    if (!colours) return;
    const { style, classList } = document.documentElement;
    for (const [name, value] of Object.entries(colours)) style.setProperty(name, value);
    classList.add('is-club');
    return () => {
      for (const name of Object.keys(colours)) style.removeProperty(name);
      classList.remove('is-club');
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key says whether a colour changed
  }, [key]);
}
