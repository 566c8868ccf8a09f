import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

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
  const several = tabs.length > 1;
  return (
    <BaseTabs.Root className="tabs-root" value={chosen} onValueChange={onChosen}>
      {several ? (
        <BaseTabs.List className="tabs" aria-label={label} activateOnFocus>
          {tabs.map(({ key, label: text }) => (
            <BaseTabs.Tab key={key} value={key}>
              {text}
            </BaseTabs.Tab>
          ))}
        </BaseTabs.List>
      ) : null}
      {tabs.map(({ key, body }) => (
        // The panel needs no focus of its own, because it contains controls.
        <BaseTabs.Panel
          key={key}
          value={key}
          className="tab-panel"
          tabIndex={-1}
          {...(several ? {} : { role: 'presentation' })}
        >
          {body}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
