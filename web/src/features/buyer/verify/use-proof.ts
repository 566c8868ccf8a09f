/** The proof of one draw, recomputed here: the server is asked for the seed and trusted with nothing else. */
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

type Found = Exclude<ProofState, { at: 'failed' }> | { at: 'failed'; words: string };

async function find(drawNumber: number): Promise<Found> {
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

/** Asked for again when the draw's status changes: a result that comes in while somebody looks reveals the seed. */
export function useProof(drawNumber: number, status: string | undefined): ProofState {
  const [state, setState] = useState<Found>({ at: 'asking' });
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
