/** A jersey with a number on its back. The colour comes from the styles. */
export function Jersey({ side, number }: { side: 'home' | 'away'; number: number }) {
  return (
    <svg className={`jersey ${side}`} viewBox="0 0 144 136" aria-hidden="true">
      <path d="M48 2c6 9 42 9 48 0l26 11 20 44-24 12-6-8v73H32V61l-6 8L2 57l20-44z" />
      <path className="jersey-collar" d="M48 2c6 9 42 9 48 0l-8-2c-6 6-26 6-32 0z" />
      <text x="72" y="104" textAnchor="middle" fontSize="76" className="num">
        {number}
      </text>
    </svg>
  );
}
