import { useAtomValue } from 'jotai';
import { useEffect, useRef } from 'react';
import { soundOnAtom } from './console-atoms';

const PITCH_HZ = 880;
const SECONDS = 0.18;

function play(): void {
  if (typeof AudioContext === 'undefined') return;
  const context = new AudioContext();
  const [tone, volume] = [context.createOscillator(), context.createGain()];
  tone.frequency.value = PITCH_HZ;
  volume.gain.setValueAtTime(0.12, context.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + SECONDS);
  tone.connect(volume).connect(context.destination);
  tone.onended = () => void context.close();
  tone.start();
  tone.stop(context.currentTime + SECONDS);
}

/** Plays a short tone when the number of unresolved anomalies rises, if the operator enabled it. */
export function useToneOnRise(unresolved: number | undefined): void {
  const on = useAtomValue(soundOnAtom);
  const before = useRef(unresolved);
  useEffect(() => {
    if (
      on &&
      unresolved !== undefined &&
      before.current !== undefined &&
      unresolved > before.current
    )
      play();
    before.current = unresolved;
  }, [on, unresolved]);
}
