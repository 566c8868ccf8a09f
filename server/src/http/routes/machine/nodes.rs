//! Executes commands that other nodes send for a draw that this node owns.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use domain::DrawId;
use persistence::nodes::InstanceId;

use crate::api::error::Problem;
use crate::api::node::{DrawResponse, WireDrawRequest};
use crate::state::State;

/// Executes the command on this node and never forwards it, so that a command takes at most one hop
/// between nodes. 409 when another node owns the draw.
pub async fn execute_draw_request(
    state: web::Data<State>,
    draw: web::Path<i64>,
    body: web::Bytes,
) -> Result<HttpResponse, Problem> {
    let credentials = state
        .peer_credentials
        .as_ref()
        .ok_or_else(Problem::not_found)?;
    let unreadable = || Problem::bad_request("bad-request", "The request could not be read.");
    let plain = credentials.open(&body).ok_or_else(unreadable)?;
    let errand: WireDrawRequest = serde_json::from_slice(&plain).map_err(|_| unreadable())?;
    let (from, errand) = (
        InstanceId(errand.from.as_u128()),
        errand.into_domain().ok_or_else(unreadable)?,
    );
    match state
        .draws
        .execute_on_this_node(DrawId(*draw), errand)
        .await
    {
        Ok(answer) => {
            let plain = serde_json::to_vec(&DrawResponse::from_domain(&answer))
                .map_err(|_| Problem::unavailable())?;
            Ok(HttpResponse::Ok()
                .content_type("application/octet-stream")
                .body(credentials.seal(from, &plain)))
        }
        Err(_) => Err(Problem::new(
            StatusCode::CONFLICT,
            "not-the-owner",
            "The draw is another node's.",
        )),
    }
}
