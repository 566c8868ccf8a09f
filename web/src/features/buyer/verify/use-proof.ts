/** Loads the proof of one draw, and recomputes the deal from the revealed seed in this browser. */
import { useCallback, useEffect, useState } from 'react';
import { fetchProof } from '@/api/endpoints/buyer';
import { HttpError } from '@/api/http';
import type { Proof } from '@/api/wire';
import { verifyProof, type ProofVerdict } from './deal';

export type ProofState =
  | { status: 'asking' }
  | { status: 'missing' }
  | { status: 'failed'; text: string; retry: () => void }
  | { status: 'known'; proof: Proof; verdict: ProofVerdict | null };

type ProofResult = Exclude<ProofState, { status: 'failed' }> | { status: 'failed'; text: string };

async function loadProof(drawNumber: number): Promise<ProofResult> {
  if (!globalThis.crypto?.subtle)
    return {
      status: 'failed',
      text: 'Your browser computes fingerprints only at a secure (https) address.',
    };
  try {
    const proof = await fetchProof(drawNumber);
    return { status: 'known', proof, verdict: await verifyProof(proof) };
  } catch (error) {
    return error instanceof HttpError && (error.status === 404 || error.status === 400)
      ? { status: 'missing' }
      : { status: 'failed', text: 'Please check your connection and try again.' };
  }
}

/**
 * Loads the proof. Loads it again when the draw's status changes, because a new result reveals the
 * seed.
 */
export function useProof(drawNumber: number, status: string | undefined): ProofState {
  const [state, setState] = useState<ProofResult>({ status: 'asking' });
  const [round, setRound] = useState(0);
  const retry = useCallback(() => {
    setState({ status: 'asking' });
    setRound((last) => last + 1);
  }, []);
  useEffect(() => {
    let current = true;
    void loadProof(drawNumber).then((result) => current && setState(result));
    return () => {
      current = false;
    };
  }, [drawNumber, status, round]);
  return state.status === 'failed' ? { ...state, retry } : state;
}
