import { useSetAtom } from 'jotai';
import { useState, type FormEvent } from 'react';
import { Link } from 'wouter';
import { confirmReset } from '@/api/endpoints/club';
import { Problem } from '@/api/http';
import { C } from '@/shared/strings-club';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { said } from '../data/said';
import { PasswordField } from '../session/password-field';
import { Door } from './door';
import { resetProblem } from './getting-in-rules';
import { useTokenOnce } from './use-token-once';

function InvalidLink({ words }: { words?: string }) {
  return (
    <Door title={C.invalidResetLink}>
      <h1>{C.invalidResetLink}</h1>
      <div className="card">
        <p><strong>{C.invalidLink}</strong></p>
        <p>{words ?? C.invalidLinkText}</p>
        <Link className="btn" href="/forgot-password">Request a new link</Link>
      </div>
    </Door>
  );
}

export function ResetPassword() {
  const token = useTokenOnce();
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const [problem, setProblem] = useState<ReturnType<typeof resetProblem>>(null);
  const [state, setState] = useState<'open' | 'pending' | 'done' | 'invalid'>('open');
  const showToast = useSetAtom(showToastAtom);
  if (!token || state === 'invalid') return <InvalidLink />;
  const complain = (field: string, title: string, text: string) => {
    setProblem({ field, title, text });
    showToast({ title, text, bad: true });
    document.getElementById(field)?.focus();
  };
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const wrong = resetProblem(password, again);
    if (wrong) return complain(wrong.field, wrong.title, wrong.text);
    setProblem(null);
    setState('pending');
    try {
      await confirmReset(token, password);
      setState('done');
      showToast({ title: C.resetSuccessful });
    } catch (error) {
      const dead = error instanceof Problem && error.code === 'invalid-link';
      setState(dead ? 'invalid' : 'open');
      if (dead) showToast({ title: C.invalidLink, text: C.invalidLinkText, bad: true });
      else complain('reset-password', C.failedToReset, said(error, C.pleaseTryAgain));
    }
  };
  const errorOf = (field: string) => (problem?.field === field ? `${problem.title}. ${problem.text}` : null);
  if (state === 'done') {
    return (
      <Door title={C.resetComplete}>
        <h1>{C.resetComplete}</h1>
        <div className="card" role="status">
          <p>You can log in with your new password now.</p>
          <Link className="btn" href="/admin/login">{C.goToLogin}</Link>
        </div>
      </Door>
    );
  }
  return (
    <Door title="Reset password" inError={problem !== null}>
      <h1>Reset password</h1>
      <form className="card" onSubmit={(event) => void onSubmit(event)} noValidate>
        <PasswordField id="reset-password" label="New password" autoComplete="new-password" value={password} hint="At least 8 characters" error={errorOf('reset-password')} onValue={setPassword} />
        <PasswordField id="reset-again" label="Confirm password" autoComplete="new-password" value={again} error={errorOf('reset-again')} onValue={setAgain} />
        <button type="submit" className="btn" disabled={state === 'pending'}>Reset password</button>
      </form>
    </Door>
  );
}
