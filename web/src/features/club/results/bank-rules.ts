/** Validation of a winner's Australian bank account (specification line B:161, decision B-4). */
import type { BankDetails } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import type { FormProblem } from '@/shared/ui/problem-list';

export const EMPTY_BANK_DETAILS: BankDetails = { accountName: '', accountNumber: '', bsb: '' };

/** Formats a BSB while it is typed: three digits, a hyphen, three digits ('062-000'). */
export function formatBsbInput(typed: string): string {
  const digits = typed.replace(/\D/g, '').slice(0, 6);
  return digits.length > 3 ? `${digits.slice(0, 3)}-${digits.slice(3)}` : digits;
}

export const sanitiseAccountNumberInput = (typed: string): string =>
  typed.replace(/\D/g, '').slice(0, 10);

export function bankDetailsProblems({
  accountName,
  accountNumber,
  bsb,
}: BankDetails): FormProblem[] {
  const problems: FormProblem[] = [];
  if (accountName.trim() === '')
    problems.push({ field: 'bank-accountName', text: C.accountNameRequired });
  if (!/^\d{3}-?\d{3}$/.test(bsb))
    problems.push({ field: 'bank-bsb', text: 'BSB must be 6 digits' });
  if (!/^\d{6,10}$/.test(accountNumber))
    problems.push({ field: 'bank-accountNumber', text: 'Account number must be 6 to 10 digits' });
  return problems;
}
