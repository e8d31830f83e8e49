//! What all pages have in common: one file that holds everything, in light and dark, narrow and wide. They are written with maud, so
//! that text is never markup, and forbid themselves every request but to where they came from.

mod known;
pub mod live;
pub mod sight;
pub mod trace;

use base64::prelude::{BASE64_STANDARD, Engine};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ImageEncoder, RgbaImage};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;

/// What browsers let a page do: show itself and pictures it holds, and ask the server it came from, if one did.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src 'self' data: blob:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'";

/// A page that has a style sheet, a body, and scripts, which run when all of it is there.
pub fn page(title: &str, style: &str, body: &Markup, scripts: &[&str]) -> String {
    let html = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { "minesight: " (title) }
                link rel="icon" href="data:,";
                style { (PreEscaped(include_str!("page/base.css"))) (PreEscaped(style)) }
            }
            body {
                main { (body) }
                @for script in scripts { script { (PreEscaped(*script)) } }
            }
        }
    };
    html.into_string()
}

/// Values for a page's scripts, which find them under this id.
///
/// # Errors
/// They have no form in JSON.
pub fn values(id: &str, values: &impl Serialize) -> serde_json::Result<Markup> {
    // In a script `<` could end it; in JSON it stands only in strings, where it may be written so.
    let text = serde_json::to_string(values)?.replace('<', "\\u003c");
    Ok(html! { script id=(id) type="application/json" { (PreEscaped(text)) } })
}

/// A picture as a PNG in text, for `data:` addresses.
pub fn png(picture: &RgbaImage) -> String {
    BASE64_STANDARD.encode(png_bytes(picture))
}

/// A picture as a PNG, small rather than made fast.
pub fn png_bytes(picture: &RgbaImage) -> Vec<u8> {
    encoded(picture, CompressionType::Default, FilterType::Adaptive)
}

/// A picture as a PNG, made fast rather than small.
pub fn png_fast(picture: &RgbaImage) -> Vec<u8> {
    encoded(picture, CompressionType::Fast, FilterType::Up)
}

fn encoded(picture: &RgbaImage, compression: CompressionType, filter: FilterType) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (width, height) = picture.dimensions();
    PngEncoder::new_with_quality(&mut bytes, compression, filter)
        .write_image(picture.as_raw(), width, height, image::ExtendedColorType::Rgba8)
        .expect("writing to memory cannot fail, and the pixels fill the picture");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_never_markup() {
        let evil = "</script><script>alert(1)</script> & \"<b>\"";
        let body = html! { p title=(evil) { (evil) } (values("data", &[evil]).unwrap()) };
        let page = page(evil, "", &body, &[]);
        assert_eq!(page.matches("<script").count(), 1);
        assert_eq!(page.matches("</script>").count(), 1);
        assert!(!page.contains("<b>"));
        let start = page.find("application/json\">").unwrap() + "application/json\">".len();
        let json = &page[start..start + page[start..].find("</script>").unwrap()];
        assert_eq!(serde_json::from_str::<Vec<String>>(json).unwrap(), [evil]);
    }
}
