import { useSetAtom } from 'jotai';
import {
  closeExpiredDraws,
  fetchAdminClubs,
  fetchHealth,
  fetchSettings,
} from '@/api/endpoints/operator';
import { HttpError, get } from '@/api/http';
import type { Draw } from '@/api/wire';
import { useServerNow } from '@/features/shared-live/use-live';
import { saveFile } from '@/shared/save-file';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { AuditTrail } from '../audit/audit-trail';
import { useQuery, useRefetchQueries } from '../queries/use-query';
import { HeaderActions } from '../console/head-actions';
import { useRunRequestedAction } from '../console/use-requested-action';
import { BusyButton } from '../components/busy-button';
import { useActionWithFeedback } from '../session/use-action';
import { CardFeeSwitch } from './card-fee-switch';
import { FooterMenus } from './footer-menus';
import { HideTestDrawsSwitch } from './hide-test-switch';
import { logFileContent } from './logs';
import { MaintenanceModeSetting } from './maintenance';
import { PlatformConfiguration } from './configuration';
import { NewClubsSwitch } from './registration';
import { SettingsList } from './settings-list';

function useLogDownload() {
  const action = useActionWithFeedback();
  const now = useServerNow();
  const save = () =>
    void action.run(
      async () => {
        const [settings, clubs, activeDraws, health] = await Promise.all([
          fetchSettings(),
          fetchAdminClubs(),
          get<Draw[]>('/api/draws/active'),
          fetchHealth().catch(() => null),
        ]);
        const at = new Date(now());
        saveFile({
          name: `system-logs-${at.toISOString().slice(0, 10)}.json`,
          content: new Blob(
            [JSON.stringify(logFileContent({ settings, clubs, activeDraws, health }, at), null, 2)],
            { type: 'application/json' },
          ),
        });
      },
      { failed: O.downloadFailed, failedText: O.downloadFailedText },
    );
  return { busy: action.busy, save };
}

/** Treats a 404 as an unset setting, which has its default value. */
const ignoreNotFound = (error: unknown) => {
  if (!(error instanceof HttpError && error.status === 404)) throw error;
};

function SystemHeaderButtons() {
  const logs = useLogDownload();
  const refresh = useActionWithFeedback();
  const refetchQueries = useRefetchQueries();
  useRunRequestedAction('logs', logs.save);
  return (
    <HeaderActions>
      <BusyButton className="btn small sec" busy={logs.busy} onPress={logs.save}>
        {O.downloadLogs}
      </BusyButton>
      <BusyButton
        className="btn small sec"
        busy={refresh.busy}
        onPress={() =>
          void refresh.run(
            async () =>
              void (await Promise.all([
                refetchQueries('settings', 'maintenance', 'registration', 'configuration', 'menus'),
                refetchQueries('hideTest').catch(ignoreNotFound),
              ])),
            { failed: O.refreshFailed },
          )
        }
      >
        {O.refreshSettings}
      </BusyButton>
    </HeaderActions>
  );
}

function CloseExpiredDrawsRow() {
  const action = useActionWithFeedback();
  const refetchQueries = useRefetchQueries();
  const toast = useSetAtom(showToastAtom);
  const close = () =>
    void action.run(
      async () => {
        const { message } = await closeExpiredDraws();
        toast({ title: message });
        void refetchQueries('draws').catch(() => {});
      },
      { failed: O.error, failedText: O.closeExpiredFailed, fixed: true },
    );
  return (
    <div className="ops-switch-row">
      <div>
        <span className="ops-switch-label">Expired draws</span>
        <span className="field-hint">
          Draws close by themselves at kick-off; this closes any that were missed.
        </span>
      </div>
      <BusyButton className="btn small sec" busy={action.busy} onPress={close}>
        <span className="ops-first-upper">{O.closeExpired}</span>
      </BusyButton>
    </div>
  );
}

/**
 * Section 'System Controls': platform settings, the public footer and the current configuration.
 */
export function SystemControlsSection() {
  const settings = useQuery('settings').data;
  return (
    <>
      <SystemHeaderButtons />
      <div className="ops-columns">
        <MaintenanceModeSetting />
        <section className="card panel" aria-labelledby="controls-title">
          <h2 id="controls-title">Controls</h2>
          <NewClubsSwitch />
          <HideTestDrawsSwitch />
          <CardFeeSwitch />
          <CloseExpiredDrawsRow />
          <SettingsList />
          <AuditTrail
            objects="setting:club_registration_enabled,setting:hide_test_draws,setting:fee_passthrough_allowed"
            turn={settings}
            title="Changes of the controls"
          />
        </section>
      </div>
      <FooterMenus />
      <PlatformConfiguration />
    </>
  );
}
