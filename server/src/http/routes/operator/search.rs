//! Search over clubs, draws, orders, anomalies and tickets.

use actix_web::{HttpResponse, web};
use serde::Deserialize;

use crate::api::console::draw::SearchHit;
use crate::api::error::Problem;
use crate::state::State;

const QUERY_CHARS_MIN: usize = 2;
const QUERY_CHARS_MAX: usize = 100;

/// Query parameters of the search.
#[derive(Deserialize)]
pub struct SearchQuery {
    #[serde(default)]
    q: String,
}

/// Responds with the search hits. A query that is too short gives no hits.
pub async fn search_everything(
    state: web::Data<State>,
    query: web::Query<SearchQuery>,
) -> Result<HttpResponse, Problem> {
    let text: String = query.q.trim().chars().take(QUERY_CHARS_MAX).collect();
    if text.chars().count() < QUERY_CHARS_MIN {
        return Ok(HttpResponse::Ok().json(Vec::<SearchHit>::new()));
    }
    let found = state.records.search(&text).await?;
    Ok(HttpResponse::Ok().json(found.into_iter().map(SearchHit::from).collect::<Vec<_>>()))
}
