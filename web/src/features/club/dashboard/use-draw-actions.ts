/** Actions of a draw's menu that need no dialog: download, archive and restore. */
import { useSetAtom, useStore } from 'jotai';
import {
  CLUB_API_PATHS,
  archiveDraw,
  downloadWinnerReport,
  downloadTicketCsv,
} from '@/api/endpoints/club';
import type { DownloadedFile } from '@/api/http';
import { queryClientAtom } from '@/api/query-client-atoms';
import type { Draw } from '@/api/wire';
import { saveFile } from '@/shared/save-file';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { cacheResponseAtom, clubQueryKey } from '../data/query-atoms';
import { errorText } from '../data/error-text';
import { useMutation } from '../session/use-session';
import { teamsText } from './draw-labels';

export interface DrawActions {
  report: (draw: Draw) => void;
  csv: (draw: Draw) => void;
  archive: (draw: Draw) => void;
}

export function useDrawActions(club: number): DrawActions {
  const store = useStore();
  const showToast = useSetAtom(showToastAtom);
  const { run } = useMutation();
  const fetchFile = (ask: (draw: number) => Promise<DownloadedFile>) => (draw: Draw) =>
    void run(
      async () => saveFile(await ask(draw.drawNumber)),
      (error) =>
        showToast({ title: C.downloadFailed, text: errorText(error, C.pleaseTryAgain), bad: true }),
    );
  const show = (draw: Draw, archived: boolean) => {
    const path = CLUB_API_PATHS.draws(club);
    const listed = store.get(queryClientAtom).getQueryData<Draw[]>(clubQueryKey(path)) ?? [];
    store.set(
      cacheResponseAtom,
      path,
      listed.map((listedDraw) =>
        listedDraw.drawNumber === draw.drawNumber ? { ...listedDraw, archived } : listedDraw,
      ),
    );
  };
  // Updates the view before the server responds and reverts it on failure. This is the dashboard's
  // only optimistic update.
  const archive = (draw: Draw, archived: boolean, undo: boolean) =>
    void run(
      async () => {
        show(draw, archived);
        await archiveDraw(draw.drawNumber, archived);
        const title = `${teamsText(draw)} is ${archived ? 'archived' : 'listed again'}`;
        showToast({
          title,
          action: undo ? { label: 'Undo', run: () => archive(draw, !archived, false) } : undefined,
        });
      },
      (error) => {
        show(draw, !archived);
        showToast({ title: C.archiveFailed, text: errorText(error, C.pleaseTryAgain), bad: true });
      },
    );
  return {
    report: fetchFile(downloadWinnerReport),
    csv: fetchFile(downloadTicketCsv),
    archive: (draw) => archive(draw, !draw.archived, true),
  };
}
