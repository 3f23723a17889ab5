//! What commands do, a file a group. All of it is asked of the session; here it gets the protocol's form.

pub(super) mod bash;
pub(super) mod choices;
pub(super) mod prompting;
pub(super) mod session;
pub(super) mod state;
