/** A three by three corner of the grid with some squares lit: the mark's own shape, once for each feature. Decoration only. */
export function Glyph({ lit }: { lit: string }) {
  return (
    <svg className="glyph" viewBox="0 0 22 22" width="44" height="44" aria-hidden="true">
      {[...lit].map((on, square) => (
        <rect key={square} x={(square % 3) * 8} y={Math.floor(square / 3) * 8} width="6" height="6" rx="1.5" className={on === '0' ? 'off' : square === 4 ? 'middle' : 'on'} />
      ))}
    </svg>
  );
}
