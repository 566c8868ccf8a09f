import { useState } from 'react';
import type { ReactNode } from 'react';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { useQuery } from '../data/use-query';
import { Tabs } from '../frame/tabs';
import { LoginLayout } from './login-layout';
import { LoginForm } from './login-form';
import { RegisterForm } from './register-form';
import { WaitlistDialog } from './waitlist-dialog';

/**
 * Login page. Offers registration while it is open to new clubs, otherwise the waitlist
 * (specification line B:15).
 */
export function LoginOrRegister() {
  const { data, problem } = useQuery<{ enabled?: boolean }>('/api/settings/club-registration', {
    opensLogin: false,
  });
  const [chosen, setChosen] = useState('login');
  const [waiting, setWaiting] = useState(false);
  // A missing setting means that registration is open (specification line B:188). Before the
  // response only the login shows; after a failure, also the waitlist.
  const open = data !== undefined && (data.enabled ?? true);
  const card = (body: ReactNode) => <div className="card">{body}</div>;
  return (
    <LoginLayout title={C.login}>
      <h1>Club Login</h1>
      {data === undefined && !problem ? <span className="skeleton tabs-skeleton" /> : null}
      <Tabs
        label="Getting in"
        chosen={open ? chosen : 'login'}
        onChosen={setChosen}
        tabs={[
          { key: 'login', label: C.login, body: card(<LoginForm />) },
          ...(open
            ? [{ key: 'register', label: C.registerClub, body: card(<RegisterForm />) }]
            : []),
        ]}
      />
      {!open && (data !== undefined || problem) ? (
        <div>
          <button type="button" className="btn sec wide" onClick={() => setWaiting(true)}>
            {C.joinWaitlist}
          </button>
        </div>
      ) : null}
      <WaitlistDialog open={waiting} onClose={() => setWaiting(false)} />
    </LoginLayout>
  );
}
