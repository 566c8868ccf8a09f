import { useSetAtom } from 'jotai';
import { useEffect, useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { fetchSlugPreview, registerNewClub } from '@/api/endpoints/club';
import type { Registration } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { Field } from '@/shared/ui/field';
import { ProblemList } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { fieldProblemsOfError, errorText } from '../data/error-text';
import { useFormProblems } from '../data/use-form-problems';
import { PasswordField } from '../session/password-field';
import { useSignIn } from '../session/use-session';
import { registrationProblems } from './login-rules';

const EMPTY_REGISTRATION: Registration = {
  name: '',
  email: '',
  password: '',
  location: '',
  phone: '',
};
const SLUG_PREVIEW_DELAY_MS = 300;

/** Previews the page name (slug) that the server would choose for this club. */
function useSlugPreview(name: string): string | null {
  const [slug, setSlug] = useState<string | null>(null);
  useEffect(() => {
    if (name.trim() === '') return;
    const timer = setTimeout(
      () =>
        void fetchSlugPreview(name.trim()).then(
          (answer) => setSlug(answer.slug),
          () => setSlug(null),
        ),
      SLUG_PREVIEW_DELAY_MS,
    );
    return () => clearTimeout(timer);
  }, [name]);
  return name.trim() === '' ? null : slug;
}

export function RegisterForm() {
  const [club, setClub] = useState(EMPTY_REGISTRATION);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  const { problems, list, errorOf, report } = useFormProblems();
  const slug = useSlugPreview(club.name);
  const signIn = useSignIn();
  const showToast = useSetAtom(showToastAtom);
  const [, navigate] = useLocation();
  const set = (more: Partial<Registration>) => setClub({ ...club, ...more });
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    setRefusal(null);
    if (pending || !report(registrationProblems(club))) return;
    setPending(true);
    try {
      signIn(await registerNewClub(club));
      navigate('/admin');
    } catch (error) {
      const fields = fieldProblemsOfError(error, (field) => `register-${field}`);
      if (fields.length > 0) report(fields);
      const text = errorText(error, C.pleaseTryAgain);
      if (fields.length === 0) setRefusal(text);
      showToast({ title: C.registrationFailed, text, bad: true });
    } finally {
      setPending(false);
    }
  };
  return (
    <form onSubmit={(event) => void onSubmit(event)} noValidate>
      <ProblemList problems={problems} ref={list} />
      {refusal ? (
        <p className="callout is-bad" role="alert">
          {refusal}
        </p>
      ) : null}
      <Field
        id="register-name"
        name="organization"
        label="Club name"
        autoComplete="organization"
        enterKeyHint="next"
        value={club.name}
        hint={slug ? `Your page: ${window.location.host}/club/${slug}` : null}
        error={errorOf('register-name')}
        onValue={(name) => set({ name })}
      />
      <Field
        id="register-email"
        name="email"
        label="Email"
        type="email"
        inputMode="email"
        autoComplete="email"
        autoCapitalize="none"
        enterKeyHint="next"
        value={club.email}
        error={errorOf('register-email')}
        onValue={(email) => set({ email })}
      />
      <Field
        id="register-phone"
        name="phone"
        label="Phone"
        type="tel"
        inputMode="tel"
        autoComplete="tel"
        enterKeyHint="next"
        value={club.phone}
        error={errorOf('register-phone')}
        onValue={(phone) => set({ phone })}
      />
      <Field
        id="register-location"
        name="location"
        label="Location (optional)"
        autoComplete="address-level2"
        enterKeyHint="next"
        value={club.location}
        onValue={(location) => set({ location })}
      />
      <PasswordField
        id="register-password"
        label="Password"
        autoComplete="new-password"
        value={club.password}
        hint="At least 8 characters"
        error={errorOf('register-password')}
        onValue={(password) => set({ password })}
      />
      <button type="submit" className="btn" disabled={pending}>
        {C.registerClub}
      </button>
    </form>
  );
}
