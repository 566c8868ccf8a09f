import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { MaskedBankDetails } from '@/api/wire-club';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { WinnerBankDetails } from './winner-bank';

const MASKED_BANK_DETAILS: MaskedBankDetails = {
  accountName: 'Robin',
  accountNumber: '••••678',
  bsb: '•••-•98',
  receivedAt: '2026-11-21T00:00:00Z',
  from: 'winner',
  pendingApproval: null,
};
const bankDetailsWithProposal = (isOwn: boolean): MaskedBankDetails => ({
  ...MASKED_BANK_DETAILS,
  pendingApproval: {
    accountName: 'Robin R',
    accountNumber: '••••321',
    bsb: '•••-•99',
    expiresAt: '2026-11-28T00:00:00Z',
    isOwn,
  },
});
const CHANGE_BANK_DETAILS_CALL = 'PUT /api/draws/1042/winner-bank';
const DECLINE_PROPOSAL_CALL = 'DELETE /api/draws/1042/winner-bank/proposal';
let server: FakeServer;

beforeEach(() => {
  server = new FakeServer();
});
afterEach(() => vi.unstubAllGlobals());

function renderWinnerBankDetails(bank: MaskedBankDetails, paid = false) {
  const onChange = vi.fn();
  renderScreen(<WinnerBankDetails number={1042} bank={bank} paid={paid} onChange={onChange} />);
  return onChange;
}

async function typeBankDetails() {
  await userEvent.type(screen.getByLabelText('Account name'), 'Robin R');
  await userEvent.type(screen.getByLabelText('BSB'), '484799');
  await userEvent.type(screen.getByLabelText('Account number'), '87654321');
  await userEvent.click(screen.getByRole('button', { name: 'Save bank details' }));
}

test('new details in place of the winner’s own require a second person', async () => {
  server.on(CHANGE_BANK_DETAILS_CALL, { status: 202, body: bankDetailsWithProposal(true) });
  const onChange = renderWinnerBankDetails(MASKED_BANK_DETAILS);
  await userEvent.click(screen.getByRole('button', { name: 'Replace bank details' }));
  expect(screen.getByText(/A second person has to enter the same new details/)).toBeTruthy();
  await typeBankDetails();
  expect(await screen.findByText('A second person has to approve')).toBeTruthy();
  expect(onChange).toHaveBeenCalledOnce();
});

test('the proposer can withdraw the change and cannot approve it', async () => {
  server.on(DECLINE_PROPOSAL_CALL, { status: 204 });
  const onChange = renderWinnerBankDetails(bankDetailsWithProposal(true));
  expect(screen.getByText(/^You entered these details/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Enter the same details' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Replace bank details' })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Withdraw' }));
  expect(await screen.findByText('Change withdrawn')).toBeTruthy();
  expect(onChange).toHaveBeenCalledOnce();
});

test('a second person approves by entering the same details', async () => {
  server.on(CHANGE_BANK_DETAILS_CALL, {
    body: { ...MASKED_BANK_DETAILS, accountNumber: '••••321', from: 'club' },
  });
  const onChange = renderWinnerBankDetails(bankDetailsWithProposal(false));
  await userEvent.click(screen.getByRole('button', { name: 'Enter the same details' }));
  await typeBankDetails();
  expect(await screen.findByText('Bank details saved')).toBeTruthy();
  expect(server.requests[0]?.body).toEqual({
    accountName: 'Robin R',
    accountNumber: '87654321',
    bsb: '484-799',
  });
  expect(onChange).toHaveBeenCalledOnce();
});

test('a second person can decline the change', async () => {
  server.on(DECLINE_PROPOSAL_CALL, { status: 503, body: {} }, { status: 204 });
  const onChange = renderWinnerBankDetails(bankDetailsWithProposal(false));
  await userEvent.click(screen.getByRole('button', { name: 'Decline' }));
  expect(await screen.findByText('Please try again.')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Decline' }));
  expect(await screen.findByText('Change declined')).toBeTruthy();
  await waitFor(() => expect(onChange).toHaveBeenCalledOnce());
});

test('a paid prize shows no proposal', () => {
  renderWinnerBankDetails(bankDetailsWithProposal(false), true);
  expect(screen.queryByText(/wait for a second person/)).toBeNull();
  expect(screen.queryByRole('button')).toBeNull();
});
