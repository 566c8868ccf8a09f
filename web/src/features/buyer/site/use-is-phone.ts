import { useEffect, useState } from 'react';
import { isPhone } from './share';

/** Whether this is a phone (A:61), also after the window was made smaller or turned. */
export function useIsPhone(): boolean {
  const [phone, setPhone] = useState(isPhone);
  useEffect(() => {
    const changed = () => setPhone(isPhone());
    window.addEventListener('resize', changed);
    return () => window.removeEventListener('resize', changed);
  }, []);
  return phone;
}
