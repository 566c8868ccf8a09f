/**
 * Repeats a call that needs a fresh proof of identity, after the user has given the password or the
 * operator's code.
 */
import { HttpError } from './http';

/**
 * Obtains the proof of identity. Resolves to false if the user cancels. For a club, a password
 * passed in is tried without a dialog.
 */
type ObtainIdentityProof = (password?: string) => Promise<boolean>;

let obtainIdentityProof: ObtainIdentityProof | null = null;

/**
 * Registers the screen that asks the user for the proof of identity. The returned function
 * unregisters the screen.
 */
export function onReauthenticationRequired(obtain: ObtainIdentityProof): () => void {
  obtainIdentityProof = obtain;
  return () => {
    if (obtainIdentityProof === obtain) obtainIdentityProof = null;
  };
}

/** The user cancelled the dialog. Nothing has changed, so there is no failure to report. */
export class ReauthenticationCancelled extends Error {}

const isReauthenticationRequired = (error: unknown): boolean =>
  error instanceof HttpError && error.status === 403 && error.code === 'reauthentication-required';

/**
 * Sends the call. If the server requires a fresh proof of identity, obtains one and sends the call
 * once more.
 */
export async function withReauthentication<Answer>(
  call: () => Promise<Answer>,
  password?: string,
): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (!obtainIdentityProof || !isReauthenticationRequired(error)) throw error;
    if (!(await obtainIdentityProof(password))) throw new ReauthenticationCancelled();
    return call();
  }
}
