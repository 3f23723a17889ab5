// Tools that were made for the working directory of the process: older extensions import these.
import { ops } from "tau:ops";
import {
  createBashTool, createEditTool, createFindTool, createGrepTool, createLsTool, createReadTool, createWriteTool,
} from "./tools.ts";

/** The read tool of the working directory. */
export const readTool: any = createReadTool(ops.cwd());
/** The bash tool of the working directory. */
export const bashTool: any = createBashTool(ops.cwd());
/** The edit tool of the working directory. */
export const editTool: any = createEditTool(ops.cwd());
/** The write tool of the working directory. */
export const writeTool: any = createWriteTool(ops.cwd());
/** The grep tool of the working directory. */
export const grepTool: any = createGrepTool(ops.cwd());
/** The find tool of the working directory. */
export const findTool: any = createFindTool(ops.cwd());
/** The ls tool of the working directory. */
export const lsTool: any = createLsTool(ops.cwd());
/** read, bash, edit and write of the working directory. */
export const codingTools: any[] = [readTool, bashTool, editTool, writeTool];
/** read, grep, find and ls of the working directory. */
export const readOnlyTools: any[] = [readTool, grepTool, findTool, lsTool];
