//! Notices documents that are added, which embedding a folder alone does not.

fn main() {
    println!("cargo::rerun-if-changed=../../docs");
    println!("cargo::rerun-if-changed=../../examples");
}
