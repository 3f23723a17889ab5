//! What a client sends as a prompt, in tau's terms.

use std::path::Path;

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{ContentBlock, EmbeddedResourceResource};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tau_agent::Prompt;
use tau_ai::{ContentBlock as Block, ImageBlock, JsonMap};
use tau_tools::image::{ResizeLimits, prepare_image, sniff_image};

use super::errors::{bad_params, failed};

/// Turns content blocks into a prompt. Text comes first, so that commands are recognised; what was embedded stands behind
/// it, as files do that are attached on the command line.
///
/// # Errors
/// When there is nothing in it, or something that cannot be sent to a model.
pub(super) async fn prompt(blocks: Vec<ContentBlock>) -> Result<Prompt, Error> {
    if blocks.is_empty() {
        return Err(bad_params("The prompt is empty."));
    }
    // Pictures are decoded and made smaller.
    match tokio::task::spawn_blocking(move || read(blocks)).await {
        Ok(prompt) => prompt,
        Err(error) => Err(failed(error)),
    }
}

fn read(blocks: Vec<ContentBlock>) -> Result<Prompt, Error> {
    let (mut text, mut behind, mut images) = (String::new(), String::new(), Vec::new());
    for block in blocks {
        match block {
            ContentBlock::Text(block) => text.push_str(&block.text),
            ContentBlock::Image(image) => {
                let of = image.uri.as_deref().map(path_of);
                let notes = add_image(&image.data, of, &mut images)?;
                match of {
                    Some(path) => behind.push_str(&file(path, &notes)),
                    None if notes.is_empty() => {}
                    None => behind.push_str(&format!("\n{notes}")),
                }
            }
            ContentBlock::ResourceLink(link) => {
                mention(&mut text, link.title.as_deref().unwrap_or(&link.name), &link.uri)
            }
            ContentBlock::Resource(embedded) => match embedded.resource {
                EmbeddedResourceResource::TextResourceContents(resource) => {
                    mention(&mut text, last_part(&resource.uri), &resource.uri);
                    behind.push_str(&file(path_of(&resource.uri), &format!("\n{}\n", resource.text)));
                }
                EmbeddedResourceResource::BlobResourceContents(resource) => {
                    mention(&mut text, last_part(&resource.uri), &resource.uri);
                    let is_image = resource.mime_type.as_deref().is_some_and(|kind| kind.starts_with("image/"));
                    let body = if is_image {
                        add_image(&resource.blob, Some(path_of(&resource.uri)), &mut images)?
                    } else {
                        "[Binary content that cannot be shown.]".to_owned()
                    };
                    behind.push_str(&file(path_of(&resource.uri), &body));
                }
                _ => return Err(bad_params("The prompt embeds a resource of a kind that tau does not know.")),
            },
            ContentBlock::Audio(_) => return Err(bad_params("tau takes no audio; send text or images.")),
            _ => return Err(bad_params("The prompt holds content of a kind that tau does not know.")),
        }
    }
    if !behind.is_empty() {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(behind.trim_start_matches('\n'));
    }
    Ok(Prompt { images, ..Prompt::new(text) })
}

/// Adds a picture, unless it cannot be sent; says what was done to it. `name` is its file, where it has one.
fn add_image(data: &str, name: Option<&str>, images: &mut Vec<Block>) -> Result<String, Error> {
    let bytes = STANDARD
        .decode(data.trim())
        .map_err(|error| bad_params(format!("An image of the prompt is not valid base64: {error}.")))?;
    let kind = sniff_image(&bytes).ok_or_else(|| {
        bad_params("An image of the prompt is none that tau knows; send PNG, JPEG, GIF, WebP or BMP.")
    })?;
    match prepare_image(bytes, kind, Some(ResizeLimits::default())) {
        Ok(image) => {
            images.push(Block::Image(ImageBlock {
                data: image.data,
                mime_type: image.mime_type,
                extra: JsonMap::new(),
            }));
            Ok(image.notes.join("\n"))
        }
        Err(why) => Ok(name.map_or_else(|| why.to_string(), |name| why.note(Path::new(name)))),
    }
}

fn file(path: &str, body: &str) -> String {
    format!("<file name=\"{path}\">{body}</file>\n")
}

/// Names a resource where it stands in the text.
fn mention(text: &mut String, name: &str, uri: &str) {
    text.push_str(&format!("[@{name}]({})", path_of(uri)));
}

/// The path of a file; another address as it is.
fn path_of(uri: &str) -> &str {
    uri.strip_prefix("file://").unwrap_or(uri)
}

fn last_part(uri: &str) -> &str {
    uri.trim_end_matches('/').rsplit('/').next().unwrap_or(uri)
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{
        AudioContent, BlobResourceContents, EmbeddedResource, ImageContent, ResourceLink, TextResourceContents,
    };

    use super::*;

    const DOT: &[u8] = include_bytes!("../../tests/process/dot.png");

    fn resource(resource: EmbeddedResourceResource) -> ContentBlock {
        ContentBlock::Resource(EmbeddedResource::new(resource))
    }

    #[tokio::test]
    async fn what_is_embedded_stands_behind_the_text() {
        let dot = STANDARD.encode(DOT);
        let blocks = vec![
            "/review ".into(),
            ContentBlock::ResourceLink(ResourceLink::new("lib.rs", "file:///src/lib.rs")),
            " and ".into(),
            resource(EmbeddedResourceResource::TextResourceContents(TextResourceContents::new(
                "fn a() {}",
                "file:///src/a.rs",
            ))),
            resource(EmbeddedResourceResource::BlobResourceContents(
                BlobResourceContents::new(dot.clone(), "file:///dot.png").mime_type("image/png".to_owned()),
            )),
            resource(EmbeddedResourceResource::BlobResourceContents(BlobResourceContents::new(
                "AAAA",
                "https://a.example/b.bin",
            ))),
            ContentBlock::Image(ImageContent::new(dot.clone(), "image/png")),
        ];
        let prompt = prompt(blocks).await.expect("a prompt");
        assert_eq!(
            prompt.text,
            "/review [@lib.rs](/src/lib.rs) and [@a.rs](/src/a.rs)[@dot.png](/dot.png)[@b.bin](https://a.example/b.bin)\n\n\
             <file name=\"/src/a.rs\">\nfn a() {}\n</file>\n<file name=\"/dot.png\"></file>\n\
             <file name=\"https://a.example/b.bin\">[Binary content that cannot be shown.]</file>\n"
        );
        let image =
            || Block::Image(ImageBlock { data: dot.clone(), mime_type: "image/png".to_owned(), extra: JsonMap::new() });
        assert_eq!(prompt.images, [image(), image()]);
    }

    #[tokio::test]
    async fn what_cannot_be_sent_is_refused() {
        let refused = async |blocks| prompt(blocks).await.expect_err("refused").message;
        assert_eq!(refused(Vec::new()).await, "The prompt is empty.");
        let audio = ContentBlock::Audio(AudioContent::new("AAAA", "audio/wav"));
        assert_eq!(refused(vec![audio]).await, "tau takes no audio; send text or images.");
        let image = |data: &str| vec![ContentBlock::Image(ImageContent::new(data, "image/png"))];
        assert!(refused(image("?")).await.starts_with("An image of the prompt is not valid base64"));
        assert!(refused(image("AAAA")).await.starts_with("An image of the prompt is none that tau knows"));
    }
}
