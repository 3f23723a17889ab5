// What `pi` had for hooks. It is there for every extension, out of sight of those that list its members.
import { ops } from "tau:ops";
import { importNow } from "../internal/loader.ts";

/** Adds to a `pi` what hooks know of it. */
export function hooksApi(id: number, pi: unknown): any {
  const members = {
    send: (text: string, attachments?: any[]) => ops.send(id, contentOf(String(text), attachments ?? [])),
    get logger() {
      return importNow("tau:pi/utils/logger.ts").logger;
    },
    get typebox() {
      return importNow("tau:typebox/index.ts");
    },
    get pi() {
      return importNow("tau:pi/coding-agent.ts");
    },
  };
  const descriptors = Object.getOwnPropertyDescriptors(members);
  for (const descriptor of Object.values(descriptors)) descriptor.enumerable = false;
  return Object.defineProperties(pi, descriptors);
}

/** A text with its attachments as the model gets them: images as they are, documents as the text that was read from them. */
export function contentOf(text: string, attachments: any[]): any {
  if (attachments.length === 0) return text;
  const content: any[] = [{ type: "text", text }];
  for (const { type, content: data, mimeType, fileName, extractedText } of attachments) {
    if (type === "image") content.push({ type: "image", data, mimeType });
    else if (typeof extractedText === "string") content[0].text += `\n\n[Document: ${fileName}]\n${extractedText}`;
  }
  return content;
}
