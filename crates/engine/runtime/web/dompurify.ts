// The package `dompurify` without a document: there is nothing to parse HTML with, so no HTML passes at all.

const escape = (text: unknown) => String(text).replace(/[<>]/g, (sign) => (sign === "<" ? "&lt;" : "&gt;"));

/** Makes a purifier; without a document all of them are the same. */
function createDOMPurify(): typeof createDOMPurify {
  return createDOMPurify;
}
Object.assign(createDOMPurify, {
  isSupported: false,
  version: "3.0.0",
  removed: [],
  sanitize: escape,
  setConfig() {},
  clearConfig() {},
  isValidAttribute: () => false,
  addHook() {},
  removeHook() {},
  removeHooks() {},
  removeAllHooks() {},
});

export default createDOMPurify;
