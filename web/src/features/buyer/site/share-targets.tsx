import type { ShareContent } from './share';

/** Returns the addresses that hand a shared text to an app, in the order in which they are shown. */
export function shareTargetsOf({ title, text, url }: ShareContent) {
  const [message, link, subject] = [`${text} ${url}`, url, title].map(encodeURIComponent);
  return [
    { name: 'WhatsApp', href: `https://wa.me/?text=${message}`, phoneOnly: false },
    // Messenger opens a link without a text, and only where its app is installed.
    { name: 'Messenger', href: `fb-messenger://share/?link=${link}`, phoneOnly: true },
    { name: 'Text message', href: `sms:?&body=${message}`, phoneOnly: true },
    { name: 'E-mail', href: `mailto:?subject=${subject}&body=${message}`, phoneOnly: false },
  ];
}

/** Links that share by an app, and a QR code to show to somebody nearby. */
export function ShareTargets({ what }: { what: ShareContent }) {
  return (
    <>
      <div className="share-targets">
        {shareTargetsOf(what).map(({ name, href, phoneOnly }) => (
          <a
            key={name}
            href={href}
            className={phoneOnly ? 'on-phone' : undefined}
            {...(href.startsWith('https:') ? { target: '_blank', rel: 'noopener noreferrer' } : {})}
          >
            {name}
          </a>
        ))}
      </div>
      <details className="share-qr">
        <summary>Show a QR code</summary>
        <img
          src={`/api/qr.svg?url=${encodeURIComponent(new URL(what.url).pathname)}`}
          alt={`QR code of ${what.title}`}
          width="200"
          height="200"
          loading="lazy"
        />
      </details>
    </>
  );
}
