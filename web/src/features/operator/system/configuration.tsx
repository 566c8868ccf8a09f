import { formatDollars } from '@/shared/money';
import { useQuery } from '../queries/use-query';
import { percentText } from '../components/money';
import { FactList, QueryResult } from '../components/common';

const hoursText = (seconds: number) =>
  seconds % 3600 === 0 ? `${seconds / 3600} h` : `${Math.round(seconds / 60)} min`;

/** Shows the current configuration, read-only (decision B-18). */
export function PlatformConfiguration() {
  const configuration = useQuery('configuration');
  return (
    <section className="card panel" aria-labelledby="configuration-title">
      <h2 id="configuration-title">Platform configuration</h2>
      <QueryResult {...configuration} title="The configuration did not load" rows={6}>
        {(now) => (
          <FactList
            facts={[
              [
                'Platform fee',
                `${percentText(now.feeRateBps)}, at most ${formatDollars(now.feeCapCents)} a draw`,
              ],
              [
                'Card fee passed on',
                `${percentText(now.cardFeeBps)} + ${formatDollars(now.cardFeeFixedCents)}, ${now.surchargeMode.replaceAll('_', ' ')}${now.feePassthroughAllowed ? '' : ' (not allowed)'}`,
              ],
              ['Tickets', `${now.ticketsPerDraw} in a draw, ${now.maxPerPurchase} in a purchase`],
              [
                'Reservation',
                `${now.reservationSeconds} s, released after ${now.releaseAfterSeconds} s; ${now.extensionsMax} × ${now.extensionSeconds} s more`,
              ],
              [
                'New payments',
                `${now.intentsPerSessionPerMinute} a minute for a browser, ${now.intentsPerAddressPerMinute} for an address`,
              ],
              [
                'Sessions end after',
                `${hoursText(now.sessionIdleSeconds.operator)} idle (operators), ${hoursText(now.sessionIdleSeconds.club)} (clubs)`,
              ],
              ['Money and place', `${now.currency.toUpperCase()}, ${now.country}, ${now.timezone}`],
              ['Terms', `version ${now.termsVersion}`],
              [
                'Versions',
                `server ${now.versions.server}, database ${now.versions.database}, schema ${now.versions.schema}`,
              ],
            ]}
          />
        )}
      </QueryResult>
    </section>
  );
}
