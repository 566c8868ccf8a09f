import { useId, type KeyboardEvent, type ReactNode } from 'react';

export interface Tab {
  key: string;
  label: string;
  body: ReactNode;
}

interface TabsProps {
  label: string;
  tabs: readonly Tab[];
  chosen: string;
  onChosen: (key: string) => void;
}

/**
 * Tabs for two or three views of one page; arrow keys move between them. A single view has no tab
 * list, but its panel stays at the same place in the tree, so its state survives added tabs.
 */
export function Tabs({ label, tabs, chosen, onChosen }: TabsProps) {
  const id = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.key === chosen);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    onChosen(next.key);
    document.getElementById(`${id}-${next.key}`)?.focus();
  };
  const shown = tabs.find((tab) => tab.key === chosen);
  const several = tabs.length > 1;
  return (
    <>
      {several ? (
        <div className="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
          {tabs.map((tab) => (
            <button
              key={tab.key}
              id={`${id}-${tab.key}`}
              type="button"
              role="tab"
              aria-selected={tab.key === chosen}
              aria-controls={`${id}-panel`}
              tabIndex={tab.key === chosen ? 0 : -1}
              onClick={() => onChosen(tab.key)}
            >
              {tab.label}
            </button>
          ))}
        </div>
      ) : null}
      <div
        role={several ? 'tabpanel' : undefined}
        id={`${id}-panel`}
        aria-labelledby={several ? `${id}-${chosen}` : undefined}
      >
        {shown?.body}
      </div>
    </>
  );
}
