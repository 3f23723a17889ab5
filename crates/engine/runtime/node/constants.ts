// node:constants: the constants of os, fs and crypto in one object.
import { constants as crypto } from "../internal/crypto/constants.ts";
import { constants as fs } from "../internal/fs/constants.ts";
import { importNow } from "../internal/loader.ts";
import os from "./os.ts";

const { dlopen, errno, priority, signals } = os.constants;
const constants: Record<string, number> & typeof fs & typeof crypto = { ...dlopen, ...errno, ...priority, ...signals, ...fs, ...crypto };

// The names are known only now, so they are added to the module itself.
Object.assign(importNow("tau:node/constants.ts"), constants);

export default constants;
