import { useAtomValue } from 'jotai';
import { reauthenticate } from '@/api/endpoints/operator';
import { Dialog } from '@/shared/ui/dialog';
import { AuthenticatorCodeForm } from './authenticator-code-form';
import { isWrongCodeError, serverMessage } from './error-kinds';
import { pendingReauthenticationAtom } from './session-atoms';

/** Asks the operator for a fresh code before money or results change. */
export function ReauthenticationCodeDialog() {
  const waiting = useAtomValue(pendingReauthenticationAtom);
  const onCode = async (code: string) => {
    try {
      await reauthenticate(code);
      waiting?.confirm();
      return null;
    } catch (error) {
      return (
        serverMessage(error) ||
        (isWrongCodeError(error)
          ? 'That code is not right. Codes change every 30 seconds.'
          : 'The code could not be checked. Please try again.')
      );
    }
  };
  return (
    <Dialog title="Confirm it is you" open={waiting !== null} onClose={() => waiting?.decline()}>
      <p>
        This moves money, tickets or results. Enter the code of your authenticator app; you will not
        be asked again for ten minutes.
      </p>
      <AuthenticatorCodeForm
        id="proof-code"
        label="Six-digit code"
        button="Confirm"
        onCode={onCode}
      >
        <button type="button" className="btn sec" onClick={() => waiting?.decline()}>
          Cancel
        </button>
      </AuthenticatorCodeForm>
    </Dialog>
  );
}
