import type { DrawFilter } from './find';

interface DrawFilterRowProps {
  filters: readonly DrawFilter[];
  chosen: string;
  onChosen: (key: string) => void;
}

/** The filters of the live draws, in one row that scrolls sideways on a phone. */
export function DrawFilterRow({ filters, chosen, onChosen }: DrawFilterRowProps) {
  return (
    <div className="draw-filters" role="group" aria-label="Filter the draws">
      {filters.map(({ key, label, count }) => (
        <button
          key={key}
          type="button"
          className="filter-chip"
          aria-pressed={key === chosen}
          onClick={() => onChosen(key)}
        >
          {label} <span className="filter-count">{count}</span>
          <span className="sr"> {count === 1 ? 'draw' : 'draws'}</span>
        </button>
      ))}
    </div>
  );
}
