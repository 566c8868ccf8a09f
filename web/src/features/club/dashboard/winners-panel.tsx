import { CLUB_API_PATHS } from '@/api/endpoints/club';
import type { WinnersResponse } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { LoadFailed } from '@/shared/ui/load-failed';
import { useQuery } from '../data/use-query';
import { WinnerHiddenNote } from '../results/winner-hidden-note';
import { WinnerDetails } from '../results/winner-view';

/** Shows the winner of one completed draw below its row. */
export function WinnersPanel({
  draw,
  timezone,
  namesShown,
}: {
  draw: number;
  timezone: string;
  namesShown: boolean;
}) {
  const { data, problem, retry } = useQuery<WinnersResponse>(CLUB_API_PATHS.winners(draw));
  if (data?.revealedAt)
    return (
      <div className="winners">
        <WinnerHiddenNote at={data.revealedAt} timezone={timezone} />
      </div>
    );
  if (data)
    return (
      <div className="winners">
        {data.winningTickets.map((winner) => (
          <WinnerDetails
            key={winner.ticketNumber}
            winner={winner}
            prize={data.prize}
            namesShown={namesShown}
          />
        ))}
      </div>
    );
  if (!problem) return <span className="skeleton" style={{ height: 120, marginTop: 12 }} />;
  return <LoadFailed title={C.failedToFetchTickets} onRetry={retry} />;
}
