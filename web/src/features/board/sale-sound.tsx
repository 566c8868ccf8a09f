import { useEffect, useRef } from 'react';

const TONE_HERTZ = [660, 880];
const TONE_SECONDS = 0.14;
const TONE_VOLUME = 0.2;

function playTones(context: AudioContext): void {
  for (const [at, hertz] of TONE_HERTZ.entries()) {
    const start = context.currentTime + at * TONE_SECONDS;
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.frequency.value = hertz;
    volume.gain.setValueAtTime(TONE_VOLUME, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + TONE_SECONDS);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + TONE_SECONDS);
  }
}

/**
 * Plays two short tones for each sale. A browser that forbids sound before the first click or key
 * press stays silent until then.
 */
export function SaleSound({ justSold }: { justSold: number }) {
  const output = useRef<AudioContext | null>(null);
  useEffect(() => {
    const audio = new AudioContext();
    output.current = audio;
    const allow = () => void audio.resume();
    window.addEventListener('pointerdown', allow);
    window.addEventListener('keydown', allow);
    return () => {
      window.removeEventListener('pointerdown', allow);
      window.removeEventListener('keydown', allow);
      void audio.close();
    };
  }, []);
  const before = useRef(0);
  useEffect(() => {
    const isSale = justSold > before.current;
    before.current = justSold;
    if (isSale && output.current?.state === 'running') playTones(output.current);
  }, [justSold]);
  return null;
}
