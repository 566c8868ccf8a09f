//! `OpenAPI` summaries of the machine routes.

use crate::api::health::{IntegrityReport, Liveness, Readiness};
use crate::http::openapi::description::describe;

describe! {
    Post "/api/stripe/webhook" "Receives a webhook event of the payment provider and stores it once." takes "application/json" -> "text/plain";
    Post "/api/webhooks/stripe" "Receives a webhook event of the payment provider, under a second address." takes "application/json" -> "text/plain";
    Get "/api/health/live" "Liveness: the process answers." -> Liveness;
    Get "/api/health/ready" "Readiness: the server may receive traffic. With `?draining=404` a draining server answers 404 instead of 503." with(draining: integer) -> (200 404 503 Readiness), refuses 400;
    Get "/api/health/integrity" "Checks every invariant in the database." -> (200 500 IntegrityReport);
    Get "/api/openapi.json" "This document." -> "application/json";
    Get "/api/docs" "This document as an HTML page." -> "text/html";
    Get "/og/site" "The site's share card, 1200 × 630." with(v: string) -> "image/png", refuses 400;
    Get "/og/draw/{draw}" "A draw's share card. With the `v` of its page's head it may be cached forever." with(v: string) -> "image/png", refuses 400;
    Get "/og/draw/{draw}/story" "A draw's picture for a story, 1080 by 1920 pixels, with a QR code of its page." -> "image/png", refuses 400;
    Get "/og/club/{slug}" "A club's share card." with(v: string) -> "image/png", refuses 400;
    Get "/og/offer/{slug}/{bundle}" "An offer's share card." with(v: string) -> "image/png", refuses 400;
    Get "/sitemap.xml" "The sitemap of all public pages." -> "application/xml";
    Get "/robots.txt" "Rules for search engines." -> "text/plain";
    Get "/manifest.webmanifest" "The web app manifest, with which a phone installs the site." -> "application/manifest+json", refuses 404;
    Get "/favicon.ico" "The site's icon for documents without an icon link." -> "image/x-icon", refuses 404;
    Get "/apple-touch-icon.png" "The site's icon for the home screen of an iPhone, 180 × 180." -> "image/png", refuses 404;
    Get "/sw.js" "The service worker, which shows visited pages while offline." -> "text/javascript", refuses 404;
    Get "/ws" "Opens a socket: `?topics=draw:1042,draws,public,order:<token>`. Every text frame is `{v, topic, seq, serverNow, type, data}` and holds the complete newest state." with(topics: string) -> (101 "text/plain"), refuses 400 403;
}
