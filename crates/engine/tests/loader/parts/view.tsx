const React = { createElement: (tag: any, props: any, ...children: any[]) => ({ tag, props, children }) };
export const view = <box wide={true}>text {1 + 1}</box>;
export const generic = <T,>(value: T): T => value;
