import { useAtom } from 'jotai';
import { useEffect, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { fetchWhoami } from '@/api/endpoints/operator';
import { isSessionExpiredError } from '@/api/session-expired';
import type { Whoami } from '@/api/wire-operator';
import { loginPathWithReturn, requestedReturnPath } from '@/shared/return-path';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { isForbiddenError } from './error-kinds';
import { SecondFactorForm } from './second-factor';
import { sessionExpiredAtom } from './session-atoms';

type AccessState =
  | { status: 'checking' }
  | { status: 'half'; step: 'enrol' | 'required' }
  | { status: 'in' }
  | { status: 'out'; to: string };

/**
 * Requests the session and returns which screen the user may see. An ended session leads to the
 * login and the code `forbidden` to /admin. After any other error, the console opens without data:
 * the server still checks each of its requests (specification line C:253, decision A-14).
 */
async function fetchAccessState(): Promise<AccessState> {
  try {
    return accessStateOf(await fetchWhoami());
  } catch (error) {
    if (isSessionExpiredError(error)) return { status: 'out', to: loginPathWithReturn() };
    return isForbiddenError(error) ? { status: 'out', to: '/admin' } : { status: 'in' };
  }
}

function accessStateOf({ role, secondFactor }: Whoami): AccessState {
  if (role !== O.superAdminDashed) return { status: 'out', to: '/admin' };
  return secondFactor === 'enrol' || secondFactor === 'required'
    ? { status: 'half', step: secondFactor }
    : { status: 'in' };
}

/**
 * Guards the console: guests go to the login, clubs to /admin, and a login without its second
 * factor to the code form. After the login, the previous section opens.
 */
export function ConsoleAccessGuard({ children }: { children: ReactNode }) {
  const [state, setState] = useState<AccessState>({ status: 'checking' });
  const [expired, setExpired] = useAtom(sessionExpiredAtom);
  const [, navigate] = useLocation();
  useEffect(() => {
    setExpired(false);
    void fetchAccessState().then(setState);
  }, [setExpired]);
  useEffect(() => {
    if (!expired || state.status === 'half') return;
    // A login without its second factor continues in the code form. An ended session opens the
    // login page.
    void fetchAccessState().then((next) =>
      setState(next.status === 'in' ? { status: 'out', to: loginPathWithReturn() } : next),
    );
  }, [expired, state.status]);
  useEffect(() => {
    if (state.status === 'out') navigate(state.to, { replace: true });
    const requested = state.status === 'in' ? requestedReturnPath() : null;
    if (requested !== null) navigate(requested, { replace: true });
  }, [state, navigate]);

  if (state.status === 'in') return children;
  if (state.status === 'half') {
    return (
      <SecondFactorForm
        step={state.step}
        onVerified={(whoami) => {
          setExpired(false);
          setState(accessStateOf(whoami));
        }}
        onLoggedOut={() => setState({ status: 'out', to: '/admin/login' })}
      />
    );
  }
  return (
    <main className="ops-login" id="main" aria-busy={state.status === 'checking'}>
      <h1 className="sr">{O.superAdmin}</h1>
      <p role="status">{O.checking}</p>
    </main>
  );
}
