//! WebAssembly: modules run in an interpreter. All instances of an engine are in one store, so they can share memories,
//! tables and globals, and stay there as long as the engine.
//!
//! A function that a module imports from JavaScript is not called from here. The interpreter stops there, the op gives
//! JavaScript what is asked, and another op continues with the answer (`call.rs`). So JavaScript never runs while the
//! store is in use, and a call from JavaScript within a call of WebAssembly is a call as any other.
//!
//! What is in the store has a number ([`Inner::number`](store::Inner::number)): the same one whenever it is the same thing.

mod call;
mod compiled;
mod errors;
mod global;
mod machine;
mod memory;
mod module;
mod sections;
mod store;
mod table;
mod values;
mod views;

use super::table::ops;

ops! {
    /// WebAssembly.
    pub static OPS: watched;

    /// Whether bytes are a module.
    fn wasmValidate(bytes) = module::validate, Pure;
    /// Compiles a module; gives its number.
    fn wasmCompile(bytes) = module::compile, Pure;
    /// What a module imports and exports, in its order.
    fn wasmDescribe(module) -> "WasmModule" = module::describe, Pure;
    /// The custom sections of a module with this name.
    fn wasmSections(module, name) = module::sections, Pure;
    /// Makes a function of JavaScript what a module can import in this place; gives its number.
    fn wasmHost(module, place, host) = module::host_function, Pure;
    /// Makes an instance of what it imports, in the order of the imports.
    fn wasmInstantiate(module, imports) -> "WasmInstance" = module::instantiate, Pure;
    /// What a function takes and gives.
    fn wasmFunction(number) -> "WasmFunction" = call::describe, Pure;
    /// Calls a function, until it returns or calls JavaScript.
    fn wasmCall(number, values) -> "WasmStep" = call::call, Pure;
    /// Continues with what a function of JavaScript returned.
    fn wasmResume(call, values) -> "WasmStep" = call::resume, Pure;
    /// Makes a memory; sizes are in pages.
    fn wasmMemory(initial, maximum) = memory::make, Pure;
    /// The bytes of a memory; another buffer after it has grown.
    fn wasmMemoryBuffer(number) -> "ArrayBuffer" = memory::buffer, Pure;
    /// Makes a memory larger by so many pages; gives how many it had.
    fn wasmMemoryGrow(number, pages) = memory::grow, Pure;
    /// Makes a table.
    fn wasmTable(element: "WasmType", initial, maximum, value) = table::make, Pure;
    /// What a table holds, and how many places it has.
    fn wasmTableShape(number) -> "[element: WasmType, length: number]" = table::shape, Pure;
    /// What is in a place of a table.
    fn wasmTableGet(number, index) -> "number | null" = table::get, Pure;
    /// Puts something into a place of a table.
    fn wasmTableSet(number, index, value) = table::set, Pure;
    /// Makes a table larger; gives how many places it had.
    fn wasmTableGrow(number, places, value) = table::grow, Pure;
    /// Makes a global.
    fn wasmGlobal(content: "WasmType", mutable, value) = global::make, Pure;
    /// What a global holds, and whether that can change.
    fn wasmGlobalShape(number) -> "[content: WasmType, mutable: boolean]" = global::shape, Pure;
    /// The value of a global.
    fn wasmGlobalGet(number) = global::get, Pure;
    /// Changes a global.
    fn wasmGlobalSet(number, value) = global::set, Pure;
}
