//! The files of the studio's page: embedded with the feature `studio`, otherwise read from a
//! folder. The browser engine is not included: the served page shows native runs only.
use std::borrow::Cow;
use std::path::Path;
#[cfg(not(feature = "studio"))]
use std::path::{Component, PathBuf};

/// The source of the page's files.
pub enum Files {
    #[cfg(feature = "studio")]
    Embedded,
    #[cfg(not(feature = "studio"))]
    Folder(PathBuf),
}

#[cfg(feature = "studio")]
mod embedded {
    include!(concat!(env!("OUT_DIR"), "/studio.rs"));
}

impl Files {
    /// The embedded files, or those in the source tree or in `BRASA_PACKAGES`.
    pub fn find() -> Result<Files, String> {
        #[cfg(feature = "studio")]
        return Ok(Files::Embedded);
        #[cfg(not(feature = "studio"))]
        {
            let packages = match std::env::var_os("BRASA_PACKAGES") {
                Some(folder) => PathBuf::from(folder),
                None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packages"),
            };
            Files::in_packages(&packages)
        }
    }

    #[cfg(not(feature = "studio"))]
    fn in_packages(packages: &Path) -> Result<Files, String> {
        let page = packages.join("studio/dist");
        if !page.join("index.html").is_file() {
            return Err(format!(
                "the studio is not built: {} contains no page\n  help: run `cargo x build \
                 studio` in Brasa's source tree, or build `brasa` there with --features studio",
                page.display()
            ));
        }
        Ok(Files::Folder(page))
    }

    /// The file at a URL path, which starts with `/`.
    pub fn get(&self, path: &str) -> Option<Cow<'static, [u8]>> {
        let path = path.strip_prefix('/')?;
        let path = if path.is_empty() { "index.html" } else { path };
        match self {
            #[cfg(feature = "studio")]
            Files::Embedded => {
                let found = embedded::FILES.iter().find(|(name, _)| *name == path)?;
                Some(Cow::Borrowed(found.1))
            }
            #[cfg(not(feature = "studio"))]
            Files::Folder(folder) => {
                let is_plain = |part: Component| matches!(part, Component::Normal(_));
                if !Path::new(path).components().all(is_plain) || path.contains('\\') {
                    return None;
                }
                std::fs::read(folder.join(path)).ok().map(Cow::Owned)
            }
        }
    }
}

/// The MIME type of a file.
pub fn mime_type(path: &str) -> &'static str {
    match Path::new(path).extension().and_then(|end| end.to_str()).unwrap_or("html") {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript",
        "css" => "text/css",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(all(test, feature = "studio"))]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_in_the_program() {
        let files = Files::find().expect("embedded files");
        let page = files.get("/").expect("a page");
        let page = String::from_utf8(page.into_owned()).expect("text");
        let (_, rest) = page.split_once("src=\"./").expect("a script");
        let script = rest.split('"').next().expect("its path");
        assert!(files.get(&format!("/{script}")).is_some_and(|script| script.len() > 10_000));
        assert!(files.get("/brasa/index.js").is_none() && files.get("/check.png").is_none());
    }
}
