//! Commands in their order.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tau_agent::AgentSession;
use tau_rpc::{Command, Order};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use super::route::Call;
use super::server::{ENDING, Server};
use super::writer::Writer;

/// A client and the session it drives.
pub(super) struct Connection {
    session: Arc<AgentSession>,
    writer: Writer,
    /// Commands that are done in the order in which they came.
    lane: Mutex<Option<mpsc::UnboundedSender<(Server, Command)>>>,
    tasks: TaskTracker,
}

impl Connection {
    pub(super) fn new(session: Arc<AgentSession>, writer: Writer) -> Self {
        let (lane, mut waiting) = mpsc::unbounded_channel::<(Server, Command)>();
        let tasks = TaskTracker::new();
        tasks.spawn(async move {
            while let Some((server, command)) = waiting.recv().await {
                server.serve(command).await;
            }
        });
        Self { session, writer, lane: Mutex::new(Some(lane)), tasks }
    }

    /// Has a command done, when it is its turn.
    pub(super) async fn serve(&self, call: Call) {
        let Call { id, name, order, command } = call;
        let server = Server::new(Arc::clone(&self.session), self.writer.clone(), self.tasks.clone(), id, name);
        match self.order_of(order, &command) {
            Order::Now => server.serve(command).await,
            Order::InTurn => {
                let refused = match self.lane.lock().as_ref() {
                    Some(lane) => lane.send((server, command)).err().map(|gone| gone.0.0),
                    None => Some(server),
                };
                if let Some(server) = refused {
                    server.fail(ENDING);
                }
            }
            Order::Beside => {
                self.tasks.spawn(async move { server.serve(command).await });
            }
        }
    }

    /// Commands of extensions keep nobody waiting: they may well wait for somebody themselves.
    fn order_of(&self, order: Order, command: &Command) -> Order {
        match command {
            Command::Prompt(prompt) if self.session.extension_command_name(&prompt.message).is_some() => Order::Beside,
            _ => order,
        }
    }

    /// Takes no more commands, and waits for those that are under way, but not longer than that.
    pub(super) async fn wait(&self, patience: Duration) {
        self.lane.lock().take();
        self.tasks.close();
        // Whoever is not done by now is not waited for.
        let _ = tokio::time::timeout(patience, self.tasks.wait()).await;
    }
}
