//! What goes wrong, as data: with a component, and with any other function that tau calls.

/// What is seen of a component that goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// It stays, and shows this.
    Stays(&'static str),
    /// Whatever it is asked for fails with this; the third time in a row it is taken away.
    Fails(&'static str),
    /// It fails with this only at keys.
    FailsAtKeys(&'static str),
    /// There never is a component, because of this.
    Unmade(&'static str),
    /// Its factory does not come to an end: the command that hands it over calls it, and fails with this.
    Caller(&'static str),
    /// Its factory gives nothing, ever.
    NeverComes,
    /// It is over before it is there.
    IsOver,
}

/// A component that goes wrong.
pub(super) struct Fault {
    pub(super) name: &'static str,
    /// The body of its factory in TypeScript. `hit()` leaves the trace, `here` is what it shows, and `whole(members)` makes a
    /// component that is in order but for these members.
    pub(super) factory: &'static str,
    pub(super) ends: Ends,
    /// What is reported beside that, once.
    pub(super) says: &'static str,
}

const fn fault(name: &'static str, ends: Ends, factory: &'static str) -> Fault {
    Fault { name, factory, ends, says: "" }
}

/// What a component in order shows.
pub(super) const HERE: &str = "here it is";
/// What is said of a call that takes too long.
pub(super) const TOO_LONG: &str = "it took longer than 250ms, and was stopped";

/// All of them, but for those that need much memory.
pub(super) const FAULTS: &[Fault] = &[
    fault("none", Ends::Stays(HERE), "hit(); return whole({});"),
    fault("factoryThrows", Ends::Unmade("no component today"), r#"hit(); throw new Error("no component today");"#),
    fault("factoryRejects", Ends::Unmade("none later"), r#"hit(); return Promise.reject(new Error("none later"));"#),
    fault("noComponent", Ends::Unmade("the factory gave no component"), "hit(); return 42;"),
    fault("neverResolves", Ends::NeverComes, "hit(); return new Promise(() => {});"),
    fault("doneBefore", Ends::IsOver, r#"hit(); done("early"); done("twice"); return whole({});"#),
    fault(
        "renderThrows",
        Ends::Fails("no lines today"),
        r#"return whole({ render: () => { hit(); throw new Error("no lines today"); } });"#,
    ),
    fault(
        "noArray",
        Ends::Fails("render() gave no list of lines"),
        r#"return whole({ render: () => { hit(); return "a text"; } });"#,
    ),
    fault("slow", Ends::Fails(TOO_LONG), "return whole({ render: () => { hit(); spin(10_000); return ['slow']; } });"),
    fault("endless", Ends::Fails(TOO_LONG), "return whole({ render: () => { hit(); for (;;); } });"),
    fault(
        "asksAgain",
        Ends::Stays("again and again"),
        "return whole({ render: () => { hit(); for (let i = 0; i < 1000; i++) tui.requestRender(); return ['again and again']; } });",
    ),
    fault(
        "microtasks",
        Ends::Fails("ran for more than 500ms"),
        "return whole({ render: () => { hit(); const again = () => Promise.resolve().then(again); again(); return ['jobs without end']; } });",
    ),
    fault(
        "wide",
        Ends::Stays("wide wide wide"),
        "return whole({ render: () => { hit(); return ['wide '.repeat(2_000)]; } });",
    ),
    fault(
        "newline",
        Ends::Stays("the second"),
        r#"return whole({ render: () => { hit(); return ["the first\nthe second\r\nthe third"]; } });"#,
    ),
    fault(
        "controls",
        Ends::Stays("bad"),
        r#"return whole({ render: () => { hit(); return ["\x1b[2J\x1b[H\x1b[999;1Hbad\x1b]0;evil\x07\x1bcworse\x07\x1b[3J"]; } });"#,
    ),
    fault(
        "prints",
        Ends::Stays("printed it"),
        r#"return whole({ render: () => { hit(); process.stdout.write("not for the screen\n"); console.log("nor this"); return ["printed it"]; } });"#,
    ),
    fault(
        "inputThrows",
        Ends::FailsAtKeys("no keys today"),
        r#"return whole({ handleInput: () => { hit(); throw new Error("no keys today"); } });"#,
    ),
    Fault {
        says: "no time today",
        ..fault(
            "timerThrows",
            Ends::Stays(HERE),
            r#"setTimeout(() => { hit(); throw new Error("no time today"); }, 1); return whole({});"#,
        )
    },
    Fault {
        says: "no end today",
        ..fault(
            "disposeThrows",
            Ends::Stays(HERE),
            r#"return whole({ dispose: () => { hit(); throw new Error("no end today"); } });"#,
        )
    },
    Fault {
        says: TOO_LONG,
        ..fault("disposeEndless", Ends::Stays(HERE), "return whole({ dispose: () => { hit(); for (;;); } });")
    },
];

/// Those that take long, or much memory, within stretches of 2 s.
pub(super) const LONG_FAULTS: &[Fault] = &[
    fault(
        "manyLines",
        Ends::Stays("one of many"),
        "return whole({ render: () => { hit(); return new Array(100_000).fill('one of many'); } });",
    ),
    fault("factoryEndless", Ends::Caller("ran for more than 2s without a pause"), "hit(); for (;;);"),
    fault(
        "factoryEndlessLater",
        Ends::Caller("ran for more than 2s without a pause"),
        "return (async () => { await null; hit(); for (;;); })();",
    ),
    fault(
        "memory",
        Ends::Fails(""),
        "return whole({ render: () => { hit(); const all = []; for (;;) all.push(new Array(100_000).fill(all.length)); } });",
    ),
];

/// What is seen of another function that goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// Nothing: it is as if nothing was wrong.
    Nothing,
    /// It is said to have failed, with this, once.
    Fails(&'static str),
    /// The same, each time.
    FailsEachTime(&'static str),
}

/// What goes wrong in a function that tau calls: its body. `otherwise()` is what it gives when nothing is wrong.
pub(super) const CALLS: &[(&str, &str)] = &[
    ("throws", r#"throw new Error("no answer today");"#),
    ("rejects", r#"return Promise.reject(new Error("no answer later"));"#),
    ("never", "return new Promise(() => {});"),
    ("wrong", "return 42;"),
    ("slow", "spin(10_000); return otherwise();"),
    ("endless", "for (;;);"),
    ("microtasks", "const again = () => Promise.resolve().then(again); again(); return otherwise();"),
    ("prints", r#"process.stdout.write("not for the screen\n"); console.log("nor this"); return otherwise();"#),
];
