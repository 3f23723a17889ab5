import path = require("node:path");
import { join as renamedJoin } from "path";
export const joined = path.join("a", "b");
export const same = path.join === renamedJoin;
