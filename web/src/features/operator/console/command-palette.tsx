import { Command } from 'cmdk';
import { useState } from 'react';
import { COMMAND_GROUP_KINDS } from './commands';
import { useCommands } from './use-commands';

/** The search field and the list of results. It filters the commands itself, and the server searches. */
export function CommandPalette({ onDone }: { onDone: () => void }) {
  const [query, setQuery] = useState('');
  const commands = useCommands(query);
  return (
    <Command
      className="ops-palette-parts"
      label="Search clubs, draws, payments and commands"
      shouldFilter={false}
      loop
      vimBindings={false}
    >
      <Command.Input
        className="ops-palette-input"
        placeholder="Name, e-mail, FD-1042, pi_…, or a command"
        // The dialog focuses this field when it opens; `autoFocus` does when the file loads later.
        data-autofocus
        autoFocus
        value={query}
        onValueChange={setQuery}
      />
      <Command.List className="ops-palette" label="Results">
        {commands.map((command) => (
          <Command.Item
            key={command.id}
            value={command.id}
            className="ops-palette-item"
            onSelect={() => {
              onDone();
              command.run();
            }}
          >
            <small className="ops-palette-kind">
              {command.kind ?? COMMAND_GROUP_KINDS[command.group]}
            </small>
            <span>{command.title}</span>
            {command.detail ? <small>{command.detail}</small> : null}
          </Command.Item>
        ))}
      </Command.List>
      {commands.length === 0 ? (
        <p className="meta" role="status">
          Nothing found.
        </p>
      ) : null}
    </Command>
  );
}
