import { useSetAtom } from 'jotai';
import { useState } from 'react';
import { ConfirmDialog } from '@/shared/ui/confirm-dialog';
import { CrashBoundary } from '@/shared/ui/crash-boundary';
import { CrossingLogo } from '@/shared/ui/crossing';
import { Dialog } from '@/shared/ui/dialog';
import { FormattedAmount } from '@/shared/ui/formatted-amount';
import { LoadFailed } from '@/shared/ui/load-failed';
import { NewestPaymentsOnlyNote } from '@/shared/ui/newest-payments';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { ProgressBar } from '@/shared/ui/progress-bar';
import { GalleryPart } from './gallery-part';

const COLOURS = ['brand', 'ink', 'chalk', 'gold', 'ok', 'caution', 'warn', 'danger'] as const;

export function ColourPart() {
  return (
    <GalleryPart name="Colours and type">
      <div className="gallery-row">
        <CrossingLogo />
        {COLOURS.map((colour) => (
          <span key={colour} className="gallery-swatch">
            <i style={{ background: `var(--${colour})` }} />
            {colour}
          </span>
        ))}
      </div>
      <p className="num" style={{ fontSize: 56, lineHeight: 1.1 }}>
        <FormattedAmount of={57_050} />
      </p>
      <p>Body text, 16 px. Buy a ticket. Watch the game.</p>
      <p className="meta">Small text, such as a date or a league.</p>
    </GalleryPart>
  );
}

export function BadgesPart() {
  return (
    <GalleryPart name="Badges, countdowns and freshness">
      <div className="gallery-row">
        <span className="badge is-active">Active</span>
        <span className="badge is-closed">Closed</span>
        <span className="badge is-completed">Completed</span>
        <span className="badge is-cancelled">Cancelled</span>
        <span className="count-badge">12</span>
      </div>
      <div className="gallery-row">
        <span className="pill band-green">4d 20h to kick-off</span>
        <span className="pill band-yellow">18h 0m to kick-off</span>
        <span className="pill band-orange">2h 6m to kick-off</span>
        <span className="pill band-red">04:38 to kick-off</span>
      </div>
      <div className="gallery-row">
        <span className="freshness">Live</span>
        <span className="freshness is-late">Updated 40 s ago</span>
        <span className="freshness is-lost">Reconnecting</span>
        <span className="freshness is-offline">Offline</span>
      </div>
    </GalleryPart>
  );
}

export function ProgressPart() {
  return (
    <GalleryPart name="Progress">
      {[0, 0.67, 1].map((part) => (
        <div key={part} className="progress-row">
          <ProgressBar label={`Tickets sold, example ${part}`} value={part * 100} max={100} />
          <span className="num">{part * 100}%</span>
        </div>
      ))}
    </GalleryPart>
  );
}

export function DialogsPart() {
  const [open, setOpen] = useState<'sheet' | 'drawer' | 'confirm' | 'danger' | null>(null);
  const close = () => setOpen(null);
  return (
    <GalleryPart name="Dialogs">
      <div className="gallery-row">
        {(['sheet', 'drawer', 'confirm', 'danger'] as const).map((kind) => (
          <button key={kind} type="button" className="btn sec" onClick={() => setOpen(kind)}>
            Open {kind}
          </button>
        ))}
      </div>
      <Dialog title="Terms of Sale" open={open === 'sheet'} onClose={close}>
        <p>A sheet in the middle, or at the bottom of a phone.</p>
      </Dialog>
      <Dialog title="Your cart" kind="drawer" open={open === 'drawer'} onClose={close}>
        <p>A drawer at the right.</p>
      </Dialog>
      <ConfirmDialog
        title="Announce five and six?"
        open={open === 'confirm'}
        confirm="Announce five and six"
        onConfirm={close}
        onCancel={close}
      >
        <p>The winner is found at once.</p>
      </ConfirmDialog>
      <ConfirmDialog
        title="Cancel this draw?"
        open={open === 'danger'}
        confirm="Cancel draw"
        cancel="Keep draw"
        danger
        onConfirm={close}
        onCancel={close}
      >
        <p>No ticket is sold. You can’t undo this.</p>
      </ConfirmDialog>
    </GalleryPart>
  );
}

export function ToastsPart() {
  const showToast = useSetAtom(showToastAtom);
  const good = { title: 'Added to cart', text: '2 tickets, $20.00' };
  const bad = { title: 'Your card was not charged.', text: 'Try another card.', bad: true };
  return (
    <GalleryPart name="Toasts">
      <div className="gallery-row">
        <button type="button" className="btn sec" onClick={() => showToast(good)}>
          Show success
        </button>
        <button type="button" className="btn sec" onClick={() => showToast(bad)}>
          Show error
        </button>
        <button
          type="button"
          className="btn sec"
          onClick={() => showToast({ ...good, action: { label: 'Undo', run: () => {} } })}
        >
          Show with action
        </button>
        <button
          type="button"
          className="btn sec"
          onClick={() => showToast({ ...bad, copyable: window.location.origin })}
        >
          Show with a link
        </button>
      </div>
    </GalleryPart>
  );
}

export function CalloutsPart() {
  return (
    <GalleryPart name="Empty, failed and loading">
      <div className="card empty">
        <strong>No active draws at the moment.</strong>
        <p>Check back soon for new fundraising opportunities!</p>
      </div>
      <LoadFailed
        title="The draws could not be loaded."
        text="Nothing was changed."
        onRetry={() => {}}
      />
      <p className="callout is-warn">Payments are not set up yet.</p>
      <p className="callout is-good">Saved.</p>
      <div aria-busy="true" role="group" aria-label="Loading">
        <span className="skeleton" style={{ width: '60%', height: 26 }} />
        <span className="skeleton" style={{ height: 16 }} />
        <span className="skeleton" style={{ height: 48 }} />
      </div>
      <NewestPaymentsOnlyNote listed={[1, 2]} sums={{ count: 312, listedMax: 2 }} />
    </GalleryPart>
  );
}

const ROWS = [
  ['v Ipswich Jetties', '114 / 169', '$570.00', 'is-active', 'Active'],
  ['v Redland Rosellas', '169 / 169', '$845.00', 'is-closed', 'Closed'],
  ['v Gympie Goannas', '66 / 169', '$330.00', 'is-completed', 'Completed'],
] as const;

export function TablePart({ theme }: { theme: string }) {
  return (
    <GalleryPart name="Table">
      <div
        className="gallery-scroll"
        role="region"
        aria-label={`Table of draws, ${theme}`}
        tabIndex={0}
      >
        <table>
          <thead>
            <tr>
              <th scope="col">Draw</th>
              <th scope="col" className="num-cell">
                Sold
              </th>
              <th scope="col" className="num-cell">
                Prize pool
              </th>
              <th scope="col">Status</th>
            </tr>
          </thead>
          <tbody>
            {ROWS.map(([game, sold, prize, tone, status]) => (
              <tr key={game}>
                <th scope="row">{game}</th>
                <td className="num-cell">{sold}</td>
                <td className="num-cell">{prize}</td>
                <td>
                  <span className={`badge ${tone}`}>{status}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </GalleryPart>
  );
}

function Crash(): never {
  throw new Error('An example of a crash');
}

/** A screen that has crashed. It is shown on demand, because it is a page of its own. */
export function CrashPart() {
  const [crashed, setCrashed] = useState(false);
  return (
    <GalleryPart name="Crashed screen">
      <div className="gallery-crash">
        {crashed ? (
          <CrashBoundary>
            <Crash />
          </CrashBoundary>
        ) : (
          <button type="button" className="btn sec" onClick={() => setCrashed(true)}>
            Crash
          </button>
        )}
      </div>
    </GalleryPart>
  );
}
