import { useSetAtom } from 'jotai';
import { useLocation } from 'wouter';
import { logout } from '@/api/endpoints/operator';
import { clearQueriesAtom } from '@/api/query-client-atoms';
import { isSessionExpiredError } from '@/api/session-expired';
import { forgetStored } from '@/shared/storage';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { serverMessage } from './error-kinds';

/**
 * Returns a function that logs out, shows a confirmation and opens the login page (specification
 * line C:39). An already ended session counts as success. Any other failure may have left the
 * session open and is reported.
 */
export function useLogout(): () => Promise<void> {
  const toast = useSetAtom(showToastAtom);
  const clearQueries = useSetAtom(clearQueriesAtom);
  const [, navigate] = useLocation();
  return async () => {
    try {
      await logout();
    } catch (error) {
      if (!isSessionExpiredError(error))
        return toast({
          bad: true,
          title: 'Logout failed',
          text: serverMessage(error) || 'Please try again.',
        });
    }
    forgetStored('local', 'user');
    clearQueries();
    toast({ title: O.loggedOut });
    navigate('/admin/login');
  };
}
