import { useCallback, useEffect, useId, useState } from 'react';
import { fetchReminder, setReminder } from '@/api/endpoints/buyer';
import type { OrderReminder } from '@/api/wire';

/** The link at the end of each reminder opens the tickets with this query, and stops the mails. */
const isStopLink = () => new URLSearchParams(window.location.search).get('reminder') === 'off';

/** Asks for one mail before kick-off and one with the result, or stops them. Off at first. */
export function ReminderSwitch({ token }: { token: string }) {
  const [reminder, setShown] = useState<OrderReminder | null>(null);
  const [note, setNote] = useState('');
  const id = useId();
  const change = useCallback(
    async (wanted: boolean) => {
      try {
        const saved = await setReminder(token, wanted);
        setShown(saved);
        setNote(saved.wanted ? 'You will get both mails.' : 'You will get no reminders.');
      } catch {
        setNote('That could not be saved. Please try again.');
      }
    },
    [token],
  );
  useEffect(() => {
    if (isStopLink()) {
      void change(false);
      return;
    }
    let current = true;
    fetchReminder(token).then(
      (found) => current && setShown(found),
      () => {},
    );
    return () => {
      current = false;
    };
  }, [token, change]);
  if (!reminder?.possible && note === '') return null;
  return (
    <section className="card panel kick-off-reminder no-print" aria-labelledby={id}>
      <div>
        <h2 id={id}>Remind me</h2>
        <p className="meta">One mail before kick-off, and one when the result is in.</p>
        <p className="meta" role="status">
          {note}
        </p>
      </div>
      {reminder?.possible ? (
        <button
          type="button"
          role="switch"
          className="switch"
          aria-labelledby={id}
          aria-checked={reminder.wanted}
          onClick={() => void change(!reminder.wanted)}
        />
      ) : null}
    </section>
  );
}
