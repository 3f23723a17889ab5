#!/usr/bin/env node
export const kind: string = "mts";
export const url = import.meta.url;
