/**
 * A picture of three by three cells, some of them lit, in the style of the logo. Each feature has
 * its own picture. Decorative only.
 */
export function CellPatternIcon({ lit }: { lit: string }) {
  return (
    <svg className="glyph" viewBox="0 0 22 22" width="44" height="44" aria-hidden="true">
      {[...lit].map((on, cell) => (
        <rect
          key={cell}
          x={(cell % 3) * 8}
          y={Math.floor(cell / 3) * 8}
          width="6"
          height="6"
          rx="1.5"
          className={on === '0' ? 'off' : cell === 4 ? 'middle' : 'on'}
        />
      ))}
    </svg>
  );
}
