import { useAtomValue } from 'jotai';
import { configAtom } from '@/features/shared-live/live-atoms';

/** The support e-mail and text number, always in this order (WCAG 3.2.6). */
export function SupportContacts() {
  const config = useAtomValue(configAtom);
  if (!config) return null;
  return (
    <p className="contact">
      <a href={`mailto:${config.supportEmail}`}>{config.supportEmail}</a>
      <a href={`sms:${config.supportSms.replace(/\s/g, '')}`}>Text {config.supportSms}</a>
    </p>
  );
}
