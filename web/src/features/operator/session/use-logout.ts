import { useSetAtom } from 'jotai';
import { useLocation } from 'wouter';
import { logout } from '@/api/endpoints/operator';
import { forgetStored } from '@/shared/storage';
import { O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { isOver, said } from './refusals';

/** Logs out, says so, and goes to the login page (C:42). A session that has already ended is as good as one just ended; whatever else goes wrong may have left it open, and is said. */
export function useLogout(): () => Promise<void> {
  const toast = useSetAtom(showToastAtom);
  const [, navigate] = useLocation();
  return async () => {
    try {
      await logout();
    } catch (error) {
      if (!isOver(error))
        return toast({
          bad: true,
          title: 'Logout failed',
          text: said(error) || 'Please try again.',
        });
    }
    forgetStored('local', 'user');
    toast({ title: O.loggedOut });
    navigate('/admin/login');
  };
}
