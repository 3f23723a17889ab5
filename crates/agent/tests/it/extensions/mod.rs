//! Extensions around their code: where they are found, who is asked before the project's are loaded, and what a reload
//! does. The engine is a stand-in.

mod discovery;
mod hooks;
mod packages;
mod reload;
mod settings;
mod start;
