#!/usr/bin/env node
const os = require("node:os");
module.exports = { eol: os.EOL, where: __filename.split("/").pop(), folder: typeof __dirname };
