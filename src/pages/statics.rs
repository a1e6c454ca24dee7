//! Style sheets and scripts, under an address that names their content: kept by browsers for ever.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use actix_files::NamedFile;
use actix_web::{
    HttpRequest, HttpResponse, Resource,
    http::header::{self, HeaderValue},
    web::{self, Data, Path as Segments},
};
use sha2::{Digest, Sha256};

use super::{App, error::Failure};

/// The folder of static files and the version that its content has.
#[derive(Clone)]
pub struct Statics {
    folder: Arc<PathBuf>,
    version: Arc<str>,
}

impl Statics {
    /// Reads the folder once, to name its content.
    pub fn open(folder: &Path) -> std::io::Result<Self> {
        let mut files: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
        files.sort_by_key(fs::DirEntry::file_name);
        let mut hash = Sha256::new();
        for file in files.iter().filter(|file| file.path().is_file()) {
            hash.update(file.file_name().as_encoded_bytes());
            hash.update(fs::read(file.path())?);
        }
        let version = crate::random::hex(&hash.finalize()[..8]);
        Ok(Self {
            folder: Arc::new(folder.to_owned()),
            version: version.into(),
        })
    }

    /// The address under which the files stand.
    #[must_use]
    pub fn root(&self) -> String {
        format!("/static/{}", self.version)
    }
}

/// The route of static files.
pub fn service() -> Resource {
    web::resource("/static/{version}/{file}").route(web::get().to(file))
}

async fn file(
    app: Data<App>,
    request: HttpRequest,
    names: Segments<(String, String)>,
) -> Result<HttpResponse, Failure> {
    let (version, file) = names.into_inner();
    let plain = file
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        && !file.starts_with('.');
    if !plain {
        return Err(Failure::NotFound);
    }
    let opened = NamedFile::open(app.statics.folder.join(file)).map_err(|_| Failure::NotFound)?;
    let mut answer = opened.into_response(&request);
    // A page that was drawn before an update may ask for the former version: it gets the present one, not to be kept.
    let keep = if *version == *app.statics.version {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    answer
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    Ok(answer)
}
