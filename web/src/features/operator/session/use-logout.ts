import { useSetAtom } from 'jotai';
import { useLocation } from 'wouter';
import { logout } from '@/api/endpoints/operator';
import { forgetStored } from '@/shared/storage';
import { O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';

/** Logs out, says so, and goes to the login page (C:42). A session that has already ended is as good as one just ended. */
export function useLogout(): () => Promise<void> {
  const toast = useSetAtom(showToastAtom);
  const [, navigate] = useLocation();
  return async () => {
    await logout().catch(() => {});
    forgetStored('local', 'user');
    toast({ title: O.loggedOut });
    navigate('/admin/login');
  };
}
