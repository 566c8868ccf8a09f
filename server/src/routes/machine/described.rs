//! What is said of the calls for machines.

use crate::openapi::description::describe;
use crate::wire::health::{Integrity, Live, Ready};

describe! {
    Post "/api/stripe/webhook" "One notice of the provider, stored once." takes "application/json" -> "text/plain";
    Post "/api/webhooks/stripe" "The same, under its other name." takes "application/json" -> "text/plain";
    Get "/api/health/live" "The process answers." -> Live;
    Get "/api/health/ready" "It may be sent buyers." -> Ready;
    Get "/api/health/integrity" "Every promise, looked up in the books." -> Integrity, refuses 500;
    Get "/api/openapi.json" "This document." -> "application/json";
    Get "/api/docs" "This document, to be read." -> "text/html";
    Get "/ws" "Opens a socket: `?topics=draw:1042,draws,public,order:<token>`. Every text frame is `{v, topic, seq, serverNow, type, data}`: whole and newest." with(topics: string) -> (101 "text/plain"), refuses 400 403;
}
