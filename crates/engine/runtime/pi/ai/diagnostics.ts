// What went wrong, in a form that can be stored with a message.

/** Anything that was thrown, as text. */
export function formatThrownValue(value: unknown): string {
  return value instanceof Error ? value.message || value.name : String(value);
}

/** Anything that was thrown, as data. */
export function extractDiagnosticError(error: unknown): any {
  if (!(error instanceof Error)) return { name: "ThrownValue", message: formatThrownValue(error) };
  const { code } = error as any;
  const isCode = typeof code === "string" || typeof code === "number";
  return {
    name: error.name || undefined,
    message: error.message || error.name,
    stack: error.stack,
    code: isCode ? code : undefined,
  };
}

/** A note on a failure, for {@link appendAssistantMessageDiagnostic}. */
export function createAssistantMessageDiagnostic(type: string, error: unknown, details?: unknown): any {
  return { type, timestamp: Date.now(), error: extractDiagnosticError(error), details };
}

/** Adds a note to a message. */
export function appendAssistantMessageDiagnostic(message: any, diagnostic: any): void {
  message.diagnostics = [...(message.diagnostics ?? []), diagnostic];
}
