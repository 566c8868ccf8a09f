/**
 * The proof of one draw, recomputed in this browser. The seed is the only input that it trusts the
 * server for.
 */
import { useCallback, useEffect, useState } from 'react';
import { fetchProof } from '@/api/endpoints/buyer';
import { Problem } from '@/api/http';
import type { Proof } from '@/api/wire';
import { verify, type Verdict } from './deal';

export type ProofState =
  | { at: 'asking' }
  | { at: 'missing' }
  | { at: 'failed'; words: string; retry: () => void }
  | { at: 'known'; proof: Proof; verdict: Verdict | null };

type ProofResult = Exclude<ProofState, { at: 'failed' }> | { at: 'failed'; words: string };

async function find(drawNumber: number): Promise<ProofResult> {
  if (!globalThis.crypto?.subtle)
    return {
      at: 'failed',
      words: 'Your browser computes fingerprints only at a secure (https) address.',
    };
  try {
    const proof = await fetchProof(drawNumber);
    return { at: 'known', proof, verdict: await verify(proof) };
  } catch (error) {
    return error instanceof Problem && (error.status === 404 || error.status === 400)
      ? { at: 'missing' }
      : { at: 'failed', words: 'Please check your connection and try again.' };
  }
}

/**
 * Loads the proof. It is requested again when the draw's status changes, because a new result
 * reveals the seed.
 */
export function useProof(drawNumber: number, status: string | undefined): ProofState {
  const [state, setState] = useState<ProofResult>({ at: 'asking' });
  const [round, setRound] = useState(0);
  const retry = useCallback(() => {
    setState({ at: 'asking' });
    setRound((last) => last + 1);
  }, []);
  useEffect(() => {
    let current = true;
    void find(drawNumber).then((found) => current && setState(found));
    return () => {
      current = false;
    };
  }, [drawNumber, status, round]);
  return state.at === 'failed' ? { ...state, retry } : state;
}
