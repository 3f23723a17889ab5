//! A stopwatch over the screen: `/stopwatch` opens it, space starts and stops it, `r` resets it, and escape closes it.
//!
//! What it shows: a component that draws itself, takes keys, lies over the screen, and asks for new lines while time passes.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::json;
use tau_hooks::mount::{Anchor, Draws, Extent, Margin, OverlayOptions, Space, Stage, Wish, mount};
use tau_hooks::{Extension, HandlerError, Registrar};

/// How often it is drawn while it runs.
const TICK: Duration = Duration::from_millis(100);

/// The extension.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stopwatch;

/// What is on the screen.
struct Face {
    stage: Stage,
    /// What was measured before it was stopped last.
    measured: Duration,
    /// Since when it runs; as long as the sender lives, a thread asks for new lines.
    running: Option<(Instant, Sender<()>)>,
}

impl Face {
    fn new(stage: Stage) -> Self {
        Self { stage, measured: Duration::ZERO, running: None }
    }

    fn time(&self) -> Duration {
        self.measured + self.running.as_ref().map_or(Duration::ZERO, |(since, _)| since.elapsed())
    }

    fn toggle(&mut self) {
        self.measured = self.time();
        if self.running.take().is_some() {
            return;
        }
        let (running, over) = channel();
        let stage = self.stage.clone();
        std::thread::spawn(move || {
            while over.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                stage.redraw();
            }
        });
        self.running = Some((Instant::now(), running));
    }
}

impl Draws for Face {
    fn lines(&mut self, space: Space) -> Vec<String> {
        let inside = space.width.saturating_sub(2);
        let time = self.time();
        let text = format!(" {:02}:{:04.1}", time.as_secs() / 60, time.as_secs_f64() % 60.0);
        vec![
            format!("╭{}╮", "─".repeat(inside)),
            format!("│{text:<inside$}│"),
            format!("│{:<inside$}│", " space start/stop · r reset"),
            format!("╰{}╯", "─".repeat(inside)),
        ]
    }

    fn input(&mut self, key: &str) {
        match key {
            " " => self.toggle(),
            "r" => (self.measured, self.running) = (Duration::ZERO, None),
            "\x1b" => self.stage.wish(Wish::Done(json!(self.time().as_secs_f64()))),
            _ => {}
        }
    }

    fn size(&mut self, _: Space) -> Option<OverlayOptions> {
        let margin = Margin { top: 1, right: 2, ..Margin::default() };
        let width = Some(Extent::Cells(32));
        Some(OverlayOptions { width, anchor: Anchor::TopRight, margin, ..OverlayOptions::default() })
    }
}

impl Extension for Stopwatch {
    fn name(&self) -> &str {
        "stopwatch"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        registrar.command("stopwatch", "Opens a stopwatch", |_, ctx| async move {
            let measured = ctx.ui().custom(mount(Face::new), true).await?;
            if let Some(seconds) = measured.and_then(|seconds| seconds.as_f64()) {
                ctx.ui().notify(&format!("{seconds:.1} seconds"), tau_hooks::dialogs::NotifyLevel::Info);
            }
            Ok(())
        });
        Ok(())
    }
}
