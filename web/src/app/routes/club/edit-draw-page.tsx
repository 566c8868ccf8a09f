import '@/features/club/dashboard/dashboard.css';
import { useStore } from 'jotai';
import { useCallback, useEffect } from 'react';
import type { PageProps } from '@/app/page-props';
import { EditDrawPage, type SendDrawChange } from '@/features/club/draw-form/edit-draw';
import { ClubPage } from '@/features/club/frame/club-page';
import { ReauthenticationCodeDialog } from '@/features/operator/session/reauthentication-code-dialog';
import {
  ReauthenticationDeclined,
  needsReauthentication,
} from '@/features/operator/session/error-kinds';
import { requestReauthenticationAtom } from '@/features/operator/session/session-atoms';

/**
 * Returns a save function for the operator: if the server requires a code, it asks for the code and
 * sends the change again. `ClubPage` handles an expired session.
 */
function useReauthenticatedSave(): SendDrawChange {
  const store = useStore();
  return useCallback(
    async (change) => {
      try {
        await change();
        return true;
      } catch (error) {
        if (!needsReauthentication(error)) throw error;
      }
      const proven = await store
        .set(requestReauthenticationAtom, () => new ReauthenticationDeclined())
        .then(
          () => true,
          () => false,
        );
      if (proven) await change();
      return proven;
    },
    [store],
  );
}

/** Several URLs show this page. The canonical one is `/admin/edit-draw/…` (decision A-3). */
export function Page({ params }: PageProps) {
  const number = Number(params.draw);
  const send = useReauthenticatedSave();
  useEffect(() => {
    const link = Object.assign(document.createElement('link'), {
      rel: 'canonical',
      href: `${window.location.origin}/admin/edit-draw/${number}`,
    });
    document.head.append(link);
    return () => link.remove();
  }, [number]);
  return (
    <ClubPage slug={params.slug} page={`edit-draw/${number}`}>
      {(here) => (
        <>
          <EditDrawPage here={here} number={number} send={send} />
          {here.user.isAdmin ? <ReauthenticationCodeDialog /> : null}
        </>
      )}
    </ClubPage>
  );
}
