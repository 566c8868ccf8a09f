import type { CSSProperties } from 'react';

/** The mean letter, in the widest face that may stand in. */
const LETTER_EM = 0.44;
const WIDTH_VW = 90;

/** Size of a heading that must stay on one line of a board, however long the names are. */
export const oneLine = (letters: number): CSSProperties => ({ '--fit': `${(WIDTH_VW / (Math.max(1, letters) * LETTER_EM)).toFixed(2)}vw` }) as CSSProperties;
