/** Repeats a call that needs a fresh proof, after the person gave it: the password, or the operator's code. */
import { HttpError } from './http';

/** Obtains the proof; false when the person cancels. A password that was typed already is tried without a question. */
type ObtainProof = (password?: string) => Promise<boolean>;

let obtainProof: ObtainProof | null = null;

/** Registers the screen that obtains the proof, until the returned function is called. */
export function onReauthenticationRequired(obtain: ObtainProof): () => void {
  obtainProof = obtain;
  return () => {
    if (obtainProof === obtain) obtainProof = null;
  };
}

/** The person cancelled the question. Nothing was changed, so there is nothing to report. */
export class ReauthenticationCancelled extends Error {}

const isRequired = (error: unknown): boolean =>
  error instanceof HttpError && error.status === 403 && error.code === 'reauthentication-required';

/** Sends the call; where the server requires a fresh proof, obtains it and sends the call once more. */
export async function withReauthentication<Answer>(
  call: () => Promise<Answer>,
  password?: string,
): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (!obtainProof || !isRequired(error)) throw error;
    if (!(await obtainProof(password))) throw new ReauthenticationCancelled();
    return call();
  }
}
