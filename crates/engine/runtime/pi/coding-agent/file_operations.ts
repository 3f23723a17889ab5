// Which files a part of a conversation was about.

export type FileOperations = { read: Set<string>; written: Set<string>; edited: Set<string> };

/** Starts with the files that an earlier summary names in its details. */
export function createFileOps(details?: any): FileOperations {
  const list = (files: any) => (Array.isArray(files) ? files : []);
  return { read: new Set(list(details?.readFiles)), written: new Set(), edited: new Set(list(details?.modifiedFiles)) };
}

const BY_TOOL: Record<string, keyof FileOperations> = { read: "read", write: "written", edit: "edited" };

/** Adds the files that the calls of an answer name. */
export function extractFileOpsFromMessage(message: any, fileOps: FileOperations): void {
  if (message?.role !== "assistant" || !Array.isArray(message.content)) return;
  for (const block of message.content) {
    const kind = block?.type === "toolCall" ? BY_TOOL[block.name] : undefined;
    const path = block?.arguments?.path;
    if (kind && typeof path === "string" && path) fileOps[kind].add(path);
  }
}
