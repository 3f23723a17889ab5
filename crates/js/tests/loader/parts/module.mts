export const kind: string = "mts";
export const url = import.meta.url;
