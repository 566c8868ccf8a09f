import '@/features/buyer/verify/verify.css';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { fetchProof } from '@/api/endpoints/buyer';
import { Problem } from '@/api/http';
import type { Proof } from '@/api/wire';
import type { PageProps } from '@/app/page-props';
import { verify, type Verdict } from '@/features/buyer/verify/deal';
import { VerdictView } from '@/features/buyer/verify/verdict-view';
import { S } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';

type State = { at: 'asking' } | { at: 'missing' } | { at: 'failed' } | { at: 'known'; proof: Proof; verdict: Verdict | null };

/** The proof of one draw, recomputed here: the server is asked for the seed and trusted with nothing else. */
function useProof(drawNumber: number): State {
  const [state, setState] = useState<State>({ at: 'asking' });
  useEffect(() => {
    let current = true;
    const ask = async (): Promise<State> => {
      try {
        const proof = await fetchProof(drawNumber);
        return { at: 'known', proof, verdict: await verify(proof) };
      } catch (error) {
        return error instanceof Problem && error.status === 404 ? { at: 'missing' } : { at: 'failed' };
      }
    };
    void ask().then((next) => current && setState(next));
    return () => {
      current = false;
    };
  }, [drawNumber]);
  return state;
}

/** A check that anyone can make: which ticket carries which pair was fixed before the first sale. */
export function Page({ params }: PageProps) {
  const drawNumber = Number(params.draw);
  const state = useProof(drawNumber);
  const title = state.at === 'missing' ? S.drawNotFound : `Verify draw ${drawNumber}`;
  usePageTitle(title);
  return (
    <main className="plain-page verify" id="main" aria-busy={state.at === 'asking'}>
      <h1>{title}</h1>
      {state.at === 'missing' ? <p>{S.drawNotFoundText}</p> : null}
      {state.at === 'asking' ? <p role="status">Computing the deal …</p> : null}
      {state.at === 'failed' ? <div className="callout is-bad" role="alert"><strong>The proof could not be checked.</strong>Please try again. Checking needs a secure (https) address.</div> : null}
      {state.at === 'known' && state.verdict ? <VerdictView proof={state.proof} verdict={state.verdict} /> : null}
      {state.at === 'known' && !state.verdict ? <PromiseOnly proof={state.proof} /> : null}
      {state.at === 'missing' || state.at === 'asking' ? null : <div className="actions"><Link className="btn sec" href={`/draw/${drawNumber}`}>Back to the draw</Link></div>}
    </main>
  );
}

/** Before the reveal there is only the promise; it is worth keeping a copy of. */
function PromiseOnly({ proof }: { proof: Proof }) {
  return (
    <>
      <p>Which ticket carries which pair was fixed before the first sale. What fixes it is still secret; this is its fingerprint. Keep a copy: after the result the secret is revealed, and this page shows that it has this fingerprint.</p>
      <dl className="hashes"><dt>Promise (SHA-256)</dt><dd><code>{proof.commitment}</code></dd></dl>
    </>
  );
}
