//! Finding anything by what one has in hand.

use actix_web::{HttpResponse, web};
use serde::Deserialize;

use crate::error::Problem;
use crate::state::State;
use crate::wire::console::desk::SearchHit;

const LETTERS_MIN: usize = 2;
const LETTERS_MAX: usize = 100;

#[derive(Deserialize)]
pub struct Asked {
    #[serde(default)]
    q: String,
}

/// Too little to look for finds nothing.
pub async fn find(
    state: web::Data<State>,
    asked: web::Query<Asked>,
) -> Result<HttpResponse, Problem> {
    let words: String = asked.q.trim().chars().take(LETTERS_MAX).collect();
    if words.chars().count() < LETTERS_MIN {
        return Ok(HttpResponse::Ok().json(Vec::<SearchHit>::new()));
    }
    let found = state.records.search(&words).await?;
    Ok(HttpResponse::Ok().json(found.into_iter().map(SearchHit::from).collect::<Vec<_>>()))
}
