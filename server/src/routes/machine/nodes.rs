//! For other nodes: what they ask of a draw that this node owns.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use domain::DrawId;
use persistence::nodes::Boot;

use crate::error::Problem;
use crate::state::State;
use crate::wire::node::{Answer, Errand};

/// Has it done here, and never sends it on: one hop. 409 when the draw is somebody else's.
pub async fn execute(
    state: web::Data<State>,
    draw: web::Path<i64>,
    body: web::Bytes,
) -> Result<HttpResponse, Problem> {
    let pass = state.pass.as_ref().ok_or_else(Problem::not_found)?;
    let unreadable = || Problem::bad_request("bad-request", "The request could not be read.");
    let words = pass.open(&body).ok_or_else(unreadable)?;
    let errand: Errand = serde_json::from_slice(&words).map_err(|_| unreadable())?;
    let (from, errand) = (
        Boot(errand.from.as_u128()),
        errand.read().ok_or_else(unreadable)?,
    );
    match state.draws.execute_here(DrawId(*draw), errand).await {
        Ok(answer) => {
            let words =
                serde_json::to_vec(&Answer::of(&answer)).map_err(|_| Problem::unavailable())?;
            Ok(HttpResponse::Ok()
                .content_type("application/octet-stream")
                .body(pass.seal(from, &words)))
        }
        Err(_) => Err(Problem::new(
            StatusCode::CONFLICT,
            "not-the-owner",
            "The draw is another node's.",
        )),
    }
}
