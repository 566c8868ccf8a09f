import { useEffect, useState } from 'react';
import { isPhone } from './share';

/**
 * Whether this is a phone (specification line A:61). Updates when the window is resized or rotated.
 */
export function useIsPhone(): boolean {
  const [phone, setPhone] = useState(isPhone);
  useEffect(() => {
    const changed = () => setPhone(isPhone());
    window.addEventListener('resize', changed);
    return () => window.removeEventListener('resize', changed);
  }, []);
  return phone;
}
