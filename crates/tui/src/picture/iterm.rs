//! iTerm2's sequence for images, which other terminals know too.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::Fit;

/// Draws an image where the cursor is. Where that leaves the cursor, terminals disagree about: it is put back.
pub(crate) fn draw(data: &[u8], fit: Fit) -> String {
    let (size, columns, rows) = (data.len(), fit.columns, fit.rows);
    let data = STANDARD.encode(data);
    format!(
        "\x1b7\x1b]1337;File=inline=1;size={size};width={columns};height={rows};preserveAspectRatio=1:{data}\x07\x1b8"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_its_size_in_cells_and_no_name() {
        let bytes = draw(b"PNG", Fit { columns: 10, rows: 4 });
        let expected = "\x1b7\x1b]1337;File=inline=1;size=3;width=10;height=4;preserveAspectRatio=1:UE5H\x07\x1b8";
        assert_eq!(bytes, expected);
    }
}
