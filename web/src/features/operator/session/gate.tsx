import { useAtom } from 'jotai';
import { useEffect, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { fetchWhoami } from '@/api/endpoints/operator';
import type { Whoami } from '@/api/wire-operator';
import { forgetStored, readStored, writeStored } from '@/shared/storage';
import { O } from '@/shared/strings-operator';
import { CONSOLE } from '../console/address';
import { isForbidden, isOver } from './refusals';
import { SecondFactor } from './second-factor';
import { sessionOverAtom } from './session-atoms';

type State =
  | { at: 'checking' }
  | { at: 'half'; step: 'enrol' | 'required' }
  | { at: 'in' }
  | { at: 'out'; to: string };

const RETURN_KEY = 'operator-return';

/** Where whoever this is belongs. An identity check that fails otherwise lets the empty shell show: every call still answers 401 (C:252, A-14). */
async function check(): Promise<State> {
  try {
    return stateOf(await fetchWhoami());
  } catch (error) {
    if (isOver(error)) return { at: 'out', to: '/admin/login' };
    return isForbidden(error) ? { at: 'out', to: '/admin' } : { at: 'in' };
  }
}

function stateOf({ role, secondFactor }: Whoami): State {
  if (role !== O.superAdminDashed) return { at: 'out', to: '/admin' };
  return secondFactor === 'enrol' || secondFactor === 'required'
    ? { at: 'half', step: secondFactor }
    : { at: 'in' };
}

/** The console stands behind this: nobody → login, no operator → /admin, half a login → the code, and back to the section that was left. */
export function Gate({ children }: { children: ReactNode }) {
  const [state, setState] = useState<State>({ at: 'checking' });
  const [over, setOver] = useAtom(sessionOverAtom);
  const [, navigate] = useLocation();
  useEffect(() => {
    setOver(false);
    void check().then(setState);
  }, [setOver]);
  useEffect(() => {
    if (!over || state.at === 'half') return;
    // A session that stopped short of its second half goes on there; one that has ended begins anew.
    void check().then((next) =>
      setState(next.at === 'in' ? { at: 'out', to: '/admin/login' } : next),
    );
  }, [over, state.at]);
  useEffect(() => {
    if (state.at === 'out') {
      if (window.location.search) writeStored('session', RETURN_KEY, window.location.search);
      navigate(state.to, { replace: true });
    }
    if (state.at === 'in' && !window.location.search) {
      const left = readStored('session', RETURN_KEY);
      if (typeof left === 'string') navigate(CONSOLE + left, { replace: true });
    }
    if (state.at === 'in') forgetStored('session', RETURN_KEY);
  }, [state, navigate]);

  if (state.at === 'in') return children;
  if (state.at === 'half') {
    return (
      <SecondFactor
        step={state.step}
        onIn={(whoami) => {
          setOver(false);
          setState(stateOf(whoami));
        }}
        onOut={() => setState({ at: 'out', to: '/admin/login' })}
      />
    );
  }
  return (
    <main className="ops-gate" id="main" aria-busy={state.at === 'checking'}>
      <h1 className="sr">{O.superAdmin}</h1>
      <p role="status">{O.checking}</p>
    </main>
  );
}
