// Text in the content of messages.

/** The text of a message's content, blocks joined. */
export function contentText(content: any, separator = "\n"): string {
  if (typeof content === "string") return content;
  return content
    .filter((block: any) => block.type === "text")
    .map((block: any) => block.text)
    .join(separator);
}

/** A system message as one prompt: its content, then its sections. */
export function getSystemMessageText(message: any): string {
  const sections = Object.values(message.sections ?? {}).filter((text) => text !== null);
  return [contentText(message.content), ...sections].filter(Boolean).join("\n\n");
}

/** A later system message as text for a model that has the prompt already. */
export function renderSystemMessageUpdate(message: any): string {
  const sections = Object.entries(message.sections ?? {}).map(([name, text]) =>
    text === null ? `Removed system prompt section "${name}".` : `Updated system prompt section "${name}":\n\n${text}`,
  );
  return [contentText(message.content), ...sections].filter(Boolean).join("\n\n");
}
