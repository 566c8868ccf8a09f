/**
 * The page shown offline for a URL without a cached copy. Self-contained: no script, no file, the
 * colours of `shared/ui/tokens.css`.
 */
import { OFFLINE_MESSAGE } from '@/shared/offline';

const OFFLINE_PAGE_STYLE =
  'body{margin:0;background:#f7f6f1;color:#10201d;font:400 16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif}' +
  'header{background:#fff;border-bottom:1px solid #d6d2c4;padding:9px 16px;font-weight:600;font-size:18px}header span{color:#0b5d4b}' +
  'main{max-width:640px;margin:0 auto;padding:24px 16px}h1{font-size:28px;line-height:1.1;margin:0}p{margin:12px 0}' +
  'a{display:inline-flex;align-items:center;min-height:48px;padding:0 20px;margin:4px 8px 0 0;border-radius:10px;font-weight:600;text-decoration:none;background:#0b5d4b;color:#fff}' +
  'a+a{background:#fff;color:#10201d;box-shadow:inset 0 0 0 1.5px #85806f}a:focus-visible{outline:3px solid #1d4ed8;outline-offset:3px}';

export const OFFLINE_PAGE = `<!doctype html>
<html lang="en-AU"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Offline – Football Doubles</title><meta name="theme-color" content="#06382e"><style>${OFFLINE_PAGE_STYLE}</style></head>
<body><header>Football <span>Doubles</span></header><main><h1>No connection</h1>
<p><strong>${OFFLINE_MESSAGE}</strong></p>
<p>This device has no copy of this page. Draws and clubs you have looked at still open.</p>
<a href="">Try again</a><a href="/">Home</a></main></body></html>`;

export function offlinePage(): Response {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  };
  return new Response(OFFLINE_PAGE, { status: 503, headers });
}
