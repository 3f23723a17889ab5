const React = { createElement: (tag, props, ...children) => ({ tag, props, children }), Fragment: "fragment" };
export const view = <><item /></>;
