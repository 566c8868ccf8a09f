//! Uploaded pictures of clubs. The type is read from the first bytes, the picture is re-encoded and
//! stored under a generated key (decisions G-8, G-9).

use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, web};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::ClubId;
use persistence::records::uploads::{CLUB_PICTURES_MAX, Upload};
use sha2::{Digest, Sha256};

use super::verification::require_confirmed_email;
use crate::access::caller::Caller;
use crate::api::club_admin::{ImageRemoval, ImageUpload, UploadedImage};
use crate::api::error::Problem;
use crate::http::routes::body::Body;
use crate::render::picture::{Picture, PictureType, detect_type};
use crate::state::State;

/// Maximum size of a decoded share image, in bytes (decision G-8).
const IMAGE_BYTES_MAX: usize = 3_000_000;
/// URL path under which pictures are served.
const PICTURE_PATH_PREFIX: &str = "/uploads/";

/// Decodes base64, with or without a `data:` prefix.
pub(super) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let text = match text.strip_prefix("data:") {
        Some(rest) => rest.split_once(";base64,")?.1,
        None => text,
    };
    let text: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    STANDARD.decode(text).ok()
}

/// Stores a re-encoded picture under a key made of its purpose, club and digest. Returns its URL
/// path.
///
/// # Errors
/// 409 `too-many-pictures`.
pub(super) async fn store_picture(
    state: &State,
    club: ClubId,
    purpose: &'static str,
    picture: Picture,
) -> Result<String, Problem> {
    let digest = hex::encode(&Sha256::digest(&picture.bytes)[..12]);
    let key = format!("{purpose}-{club}-{digest}.{}", picture.ending);
    let url = format!("{PICTURE_PATH_PREFIX}{key}");
    if !state
        .records
        .store_upload(Upload {
            key,
            club,
            purpose,
            bytes: picture.bytes,
        })
        .await?
    {
        let message = format!(
            "A club keeps at most {CLUB_PICTURES_MAX} pictures. Please remove one that you no longer need."
        );
        return Err(Problem::conflict("too-many-pictures", message));
    }
    Ok(url)
}

fn own_club(state: &State, caller: Caller, slug: Option<&str>) -> Result<ClubId, Problem> {
    let facts = state.catalogue.facts();
    let slug = slug.ok_or_else(|| Problem::bad_request("club-required", "Say for which club."))?;
    let club = facts.club_by_slug(slug).ok_or_else(Problem::not_found)?;
    caller.require_ownership(club.id)?;
    Ok(club.id)
}

/// Handles `POST /api/uploads/bundle-image`.
pub async fn upload_image(
    state: web::Data<State>,
    caller: Caller,
    body: Body<ImageUpload>,
) -> Result<HttpResponse, Problem> {
    let club = own_club(&state, caller, body.0.club_slug.as_deref())?;
    require_confirmed_email(&state, club).await?;
    let refused = || Problem::bad_request("invalid-file", "Please upload a JPG or PNG image");
    let bytes = decode_base64(body.0.data.as_deref().unwrap_or_default()).ok_or_else(refused)?;
    if bytes.len() > IMAGE_BYTES_MAX {
        return Err(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "file-too-large",
            "Max size is 3MB",
        ));
    }
    if !matches!(
        detect_type(&bytes),
        Some(PictureType::Png | PictureType::Jpeg)
    ) {
        return Err(refused());
    }
    let picture = state.renderer.render(&bytes).await?.ok_or_else(refused)?;
    let url = store_picture(&state, club, "bundle-image", picture).await?;
    Ok(HttpResponse::Created().json(UploadedImage { url }))
}

/// Handles `DELETE /api/uploads/bundle-image`.
pub async fn remove_image(
    state: web::Data<State>,
    caller: Caller,
    body: Body<ImageRemoval>,
) -> Result<HttpResponse, Problem> {
    let club = own_club(&state, caller, body.0.club_slug.as_deref())?;
    let url = body.0.url.unwrap_or_default();
    let key = url
        .rsplit_once(PICTURE_PATH_PREFIX)
        .map(|(_, key)| key)
        .ok_or_else(Problem::not_found)?;
    let offer = body.0.bundle_slug.unwrap_or_default();
    if state.records.delete_upload(key, club, offer.trim()).await? {
        Ok(HttpResponse::NoContent().finish())
    } else {
        Err(Problem::not_found())
    }
}

/// Serves a stored picture. It may be cached forever, because the picture of a key never changes.
/// Its headers forbid scripts.
pub async fn show(
    state: web::Data<State>,
    key: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    // Generated picture keys contain only these characters. For any other key the database is not
    // read.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-.".contains(&byte);
    if !key.bytes().all(plain) {
        return Err(Problem::not_found());
    }
    let bytes = state
        .records
        .upload(&key)
        .await?
        .ok_or_else(Problem::not_found)?;
    let kind = if key.ends_with(".png") {
        "image/png"
    } else {
        "image/jpeg"
    };
    Ok(HttpResponse::Ok()
        .content_type(kind)
        .insert_header((header::CACHE_CONTROL, "public, max-age=31536000, immutable"))
        .insert_header((
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; sandbox",
        ))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .body(bytes))
}
