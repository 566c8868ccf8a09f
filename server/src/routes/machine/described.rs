//! What is said of the calls for machines.

use crate::openapi::description::describe;
use crate::wire::health::{Integrity, Live, Ready};

describe! {
    Post "/api/stripe/webhook" "One notice of the provider, stored once." takes "application/json" -> "text/plain";
    Post "/api/webhooks/stripe" "The same, under its other name." takes "application/json" -> "text/plain";
    Get "/api/health/live" "The process answers." -> Live;
    Get "/api/health/ready" "It may be sent buyers. With `?draining=404` a server that drains answers 404 instead of 503." with(draining: integer) -> (200 404 503 Ready), refuses 400;
    Get "/api/health/integrity" "Every promise, looked up in the books." -> (200 500 Integrity);
    Get "/api/openapi.json" "This document." -> "application/json";
    Get "/api/docs" "This document, to be read." -> "text/html";
    Get "/og/site" "The site's share card, 1200 × 630." with(v: string) -> "image/png", refuses 400;
    Get "/og/draw/{draw}" "A draw's share card; with the `v` of its page's head it may be kept for ever." with(v: string) -> "image/png", refuses 400;
    Get "/og/club/{slug}" "A club's share card." with(v: string) -> "image/png", refuses 400;
    Get "/og/offer/{slug}/{bundle}" "An offer's share card." with(v: string) -> "image/png", refuses 400;
    Get "/sitemap.xml" "Every page that may be found." -> "application/xml";
    Get "/robots.txt" "What search engines leave alone." -> "text/plain";
    Get "/manifest.webmanifest" "What a phone needs to put the site among its applications." -> "application/manifest+json", refuses 404;
    Get "/sw.js" "What a browser keeps running, to show a page that was seen when there is no signal." -> "text/javascript", refuses 404;
    Get "/ws" "Opens a socket: `?topics=draw:1042,draws,public,order:<token>`. Every text frame is `{v, topic, seq, serverNow, type, data}`: whole and newest." with(topics: string) -> (101 "text/plain"), refuses 400 403;
}
