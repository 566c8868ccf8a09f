import { useAtomValue } from 'jotai';
import { useEffect, useRef } from 'react';
import { soundEnabledAtom } from './console-atoms';

const TONE_PITCH_HZ = 880;
const TONE_SECONDS = 0.18;

function playTone(): void {
  if (typeof AudioContext === 'undefined') return;
  const context = new AudioContext();
  const [tone, volume] = [context.createOscillator(), context.createGain()];
  tone.frequency.value = TONE_PITCH_HZ;
  volume.gain.setValueAtTime(0.12, context.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + TONE_SECONDS);
  tone.connect(volume).connect(context.destination);
  tone.onended = () => void context.close();
  tone.start();
  tone.stop(context.currentTime + TONE_SECONDS);
}

/** Plays a short tone when the number of unresolved anomalies rises, if the operator enabled it. */
export function useToneOnNewAnomalies(unresolved: number | undefined): void {
  const on = useAtomValue(soundEnabledAtom);
  const before = useRef(unresolved);
  useEffect(() => {
    if (
      on &&
      unresolved !== undefined &&
      before.current !== undefined &&
      unresolved > before.current
    )
      playTone();
    before.current = unresolved;
  }, [on, unresolved]);
}
