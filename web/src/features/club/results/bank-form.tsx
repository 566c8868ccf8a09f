import { useState, type FormEvent } from 'react';
import type { BankDetails } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { Field } from '@/shared/ui/field';
import { ProblemList } from '@/shared/ui/problem-list';
import { fieldProblemsOfError, errorText } from '../data/error-text';
import { useFormProblems } from '../data/use-form-problems';
import { useHandleExpiredSession } from '../session/use-session';
import {
  EMPTY_BANK_DETAILS,
  bankDetailsProblems,
  formatBsbInput,
  sanitiseAccountNumberInput,
} from './bank-rules';

interface BankDetailsFormProps {
  submitLabel: string;
  send: (bank: BankDetails) => Promise<void>;
  /** Handles an error that belongs to no field. Returns whether the error was handled. */
  onProblem?: (error: unknown) => boolean;
}

/** Form for account name, BSB and number, for the club or the winner. Autocomplete is off. */
export function BankDetailsForm({ submitLabel, send, onProblem }: BankDetailsFormProps) {
  const [bank, setBank] = useState(EMPTY_BANK_DETAILS);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  const { problems, list, errorOf, report } = useFormProblems();
  const handleExpiredSession = useHandleExpiredSession();
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    setRefusal(null);
    if (pending || !report(bankDetailsProblems(bank))) return;
    setPending(true);
    try {
      await send(bank);
      setBank(EMPTY_BANK_DETAILS);
    } catch (error) {
      const wrong = fieldProblemsOfError(error, (field) => `bank-${field}`);
      if (wrong.length > 0) report(wrong);
      else if (!handleExpiredSession(error) && !onProblem?.(error))
        setRefusal(errorText(error, C.pleaseTryAgain));
    } finally {
      setPending(false);
    }
  };
  return (
    <form onSubmit={(event) => void onSubmit(event)} noValidate autoComplete="off">
      <ProblemList problems={problems} ref={list} />
      {refusal ? (
        <p className="callout is-bad" role="alert">
          {refusal}
        </p>
      ) : null}
      <Field
        id="bank-accountName"
        label="Account name"
        autoComplete="off"
        maxLength={100}
        value={bank.accountName}
        error={errorOf('bank-accountName')}
        onValue={(accountName) => setBank({ ...bank, accountName })}
      />
      <div className="two">
        <Field
          id="bank-bsb"
          label="BSB"
          inputMode="numeric"
          autoComplete="off"
          placeholder="000-000"
          value={bank.bsb}
          error={errorOf('bank-bsb')}
          onValue={(bsb) => setBank({ ...bank, bsb: formatBsbInput(bsb) })}
        />
        <Field
          id="bank-accountNumber"
          label="Account number"
          inputMode="numeric"
          autoComplete="off"
          value={bank.accountNumber}
          error={errorOf('bank-accountNumber')}
          onValue={(accountNumber) =>
            setBank({ ...bank, accountNumber: sanitiseAccountNumberInput(accountNumber) })
          }
        />
      </div>
      <div className="row-actions">
        <button type="submit" className="btn" aria-disabled={pending}>
          {submitLabel}
        </button>
      </div>
    </form>
  );
}
