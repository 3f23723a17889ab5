//! A gate written in TypeScript that does not say yes or no in so many words.

use crate::support::Scripts;
use crate::tour::{self, tour_in};

async fn ran(answer: &str) -> bool {
    let world = tour::world();
    let scripts = Scripts::new(&world);
    let gate = format!("export default (pi) => {{\n  pi.on('tool_call', () => ({answer}));\n}};\n");
    for outcome in scripts.load(&world, &[("gate.ts", &gate)]).await {
        outcome.result.expect("an extension that loads");
    }
    !tour_in(world).await.worked.is_empty()
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_allow() {
    for answer in ["undefined", "null", "{}", "{ block: false }", "{ block: undefined }"] {
        assert!(ran(answer).await, "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_are_no_decision_block() {
    for answer in
        ["() => true", "Symbol()", "{ block: () => false }", "{ block: Symbol() }", "{ block: 0 }", "{ block: NaN }"]
    {
        assert!(!ran(answer).await, "{answer}");
    }
}
