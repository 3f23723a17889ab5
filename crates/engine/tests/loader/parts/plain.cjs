#!/usr/bin/env node
module.exports = function plain() { return this === undefined; };
module.exports.extra = "extra";
