exports.answer = 42;
exports.default = "its default";
Object.defineProperty(exports, "__esModule", { value: true });
