import { useQuery } from '../queries/use-query';
import { RelativeTime } from '../components/relative-time';

/** Lists every setting with its value and its last editor. */
export function SettingsList() {
  const { data } = useQuery('settings');
  if (!data || data.length === 0) return null;
  return (
    <details className="ops-json">
      <summary>Stored settings</summary>
      <dl className="ops-facts">
        {data.map((setting) => (
          <div key={setting.key}>
            <dt>
              <code>{setting.key}</code>
            </dt>
            <dd>
              <strong>{setting.value}</strong>
              <small className="meta">
                {' '}
                {setting.updatedBy ?? 'System'}, <RelativeTime at={setting.updatedAt} />
              </small>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
