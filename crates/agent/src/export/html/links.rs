//! Which addresses and pictures of a session a page may carry.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tau_ai::ImageBlock;

use super::markup::Markup;

/// Where a link may lead. Anything else could be code, or a file of whoever reads the page.
const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

/// Formats that are pictures and nothing else; SVG can hold scripts.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Whether a link may lead to this address.
pub(super) fn is_allowed(address: &str) -> bool {
    let begins = |scheme: &str| address.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme));
    SCHEMES.into_iter().any(begins) && !address.chars().any(char::is_control)
}

/// A picture, or in its place what it would have been.
pub(super) fn image(out: &mut Markup, image: &ImageBlock) {
    let mime = PICTURES.into_iter().find(|mime| image.mime_type.eq_ignore_ascii_case(mime));
    match mime.zip(STANDARD.decode(image.data.trim()).ok()) {
        Some((mime, bytes)) => {
            let data = STANDARD.encode(bytes);
            out.raw("<img alt=\"Picture\"").attribute("src", format_args!("data:{mime};base64,{data}")).raw(">\n");
        }
        None => {
            let (mime, size) = (&image.mime_type, image.data.len());
            out.raw("<p class=\"quiet\">[").show(format_args!("{mime}, {size} characters, not shown")).raw("]</p>\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_and_mail_only() {
        for good in ["http://a", "HTTPS://a/b?c=d#e", "mailto:a@b.c"] {
            assert!(is_allowed(good), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            " https://a",
            "data:text/html,x",
            "file:///etc/passwd",
            "//a",
            "a",
            "",
            "https://a\nb",
            "vbscript:x",
        ] {
            assert!(!is_allowed(bad), "{bad}");
        }
    }

    fn shown(mime_type: &str, data: &str) -> String {
        let mut out = Markup::default();
        image(
            &mut out,
            &ImageBlock { data: data.to_owned(), mime_type: mime_type.to_owned(), ..ImageBlock::default() },
        );
        out.finish()
    }

    #[test]
    fn only_pictures_are_shown() {
        assert_eq!(shown("image/png", "AAAA"), "<img alt=\"Picture\" src=\"data:image/png;base64,AAAA\">\n");
        for (mime, data) in [("text/html", "AAAA"), ("image/svg+xml", "AAAA"), ("image/png", "\" onerror=\"x")] {
            assert!(!shown(mime, data).contains("<img"), "{mime} {data}");
        }
    }
}
