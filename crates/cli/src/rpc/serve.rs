//! Commands, from when they were read to their one response.

use std::any::TypeId;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use parking_lot::Mutex;
use serde_json::Value;
use tau_agent::AgentSession;
use tau_rpc::*;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use super::commands::{bash, choices, prompting, session, state};
use super::route::Call;
use super::writer::{Item, Together, Writer};

/// What a command hears that comes when nothing is begun any more.
pub(super) const ENDING: &str = "The session is ending.";

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
        let server = Server(Arc::new(Inner {
            session: Arc::clone(&self.session),
            writer: self.writer.clone(),
            tasks: self.tasks.clone(),
            id,
            name,
            answered: AtomicBool::new(false),
            later: AtomicBool::new(false),
        }));
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

/// One command while it is done.
#[derive(Clone)]
pub(super) struct Server(Arc<Inner>);

struct Inner {
    session: Arc<AgentSession>,
    writer: Writer,
    tasks: TaskTracker,
    id: Option<Value>,
    name: String,
    /// It has its response.
    answered: AtomicBool,
    /// Its response comes later than its method returns.
    later: AtomicBool,
}

impl Server {
    pub(super) fn session(&self) -> &Arc<AgentSession> {
        &self.0.session
    }

    pub(super) fn id(&self) -> Option<&Value> {
        self.0.id.as_ref()
    }

    /// A response comes whatever happens.
    async fn serve(&self, command: Command) {
        if AssertUnwindSafe(command.serve(self)).catch_unwind().await.is_err() {
            self.fail("the command crashed, which is a defect of tau");
        }
    }

    /// Goes on with a command after its method has returned; what `work` ends with is its response.
    pub(super) fn go_on(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.0.later.store(true, Ordering::Release);
        let me = self.clone();
        self.0.tasks.spawn(async move {
            if AssertUnwindSafe(work).catch_unwind().await.is_err() {
                me.fail("the command crashed, which is a defect of tau");
            }
        });
    }

    /// See [`Writer::together`].
    pub(super) fn together(&self) -> Together<'_> {
        self.0.writer.together()
    }

    /// Writes the response, if there was none.
    pub(super) fn respond<R: Request>(&self, done: Result<R::Answer, Failure>) {
        let data = match done {
            Ok(data) => data,
            Err(Failure(why)) => return self.fail(&why),
        };
        let nothing = TypeId::of::<R::Answer>() == TypeId::of::<Done>();
        match success_line(self.id(), &self.0.name, (!nothing).then_some(&data)) {
            Ok(line) => self.write(line),
            Err(error) => self.fail(&error.to_string()),
        }
    }

    fn fail(&self, why: &str) {
        self.write(failure_line(self.id(), &self.0.name, why));
    }

    fn write(&self, line: Vec<u8>) {
        if !self.0.answered.swap(true, Ordering::AcqRel) {
            self.0.writer.push(Item::Line(line));
        }
    }
}

/// What each command does.
impl Serve for Server {
    fn tell<R: Request>(&self, done: Result<R::Answer, Failure>) {
        if !self.0.later.load(Ordering::Acquire) {
            self.respond::<R>(done);
        }
    }

    async fn prompt(&self, prompt: Prompt) -> Result<Placed, Failure> {
        prompting::prompt(self, prompt).await
    }
    async fn steer(&self, steer: Steer) -> Result<Placed, Failure> {
        prompting::steer(self, steer).await
    }
    async fn follow_up(&self, follow_up: FollowUp) -> Result<Placed, Failure> {
        prompting::follow_up(self, follow_up).await
    }
    async fn abort(&self, _: Abort) -> Result<Done, Failure> {
        prompting::abort(self.session()).await
    }
    async fn clear_queue(&self, _: ClearQueue) -> Result<Queue, Failure> {
        Ok(prompting::clear_queue(self.session()))
    }
    async fn get_state(&self, _: GetState) -> Result<State, Failure> {
        Ok(state::state(self.session()))
    }
    async fn get_messages(&self, _: GetMessages) -> Result<MessageList, Failure> {
        Ok(MessageList { messages: self.session().history().to_arcs() })
    }
    async fn get_last_assistant_text(&self, _: GetLastAssistantText) -> Result<LastText, Failure> {
        Ok(LastText { text: self.session().last_answer_text() })
    }
    async fn get_commands(&self, _: GetCommands) -> Result<CommandList, Failure> {
        Ok(state::commands(self.session()))
    }
    async fn set_model(&self, choice: SetModel) -> Result<Model, Failure> {
        choices::set_model(self.session(), choice).await
    }
    async fn cycle_model(&self, _: CycleModel) -> Result<Option<CycledModel>, Failure> {
        choices::cycle_model(self.session()).await
    }
    async fn get_available_models(&self, _: GetAvailableModels) -> Result<ModelList, Failure> {
        Ok(ModelList { models: self.session().models().available() })
    }
    async fn set_thinking_level(&self, choice: SetThinkingLevel) -> Result<Done, Failure> {
        self.session().choose_thinking(choice.level)?;
        Ok(Done)
    }
    async fn cycle_thinking_level(&self, _: CycleThinkingLevel) -> Result<Option<Level>, Failure> {
        Ok(self.session().cycle_thinking()?.map(|level| Level { level }))
    }
    async fn get_available_thinking_levels(&self, _: GetAvailableThinkingLevels) -> Result<Levels, Failure> {
        Ok(Levels { levels: self.session().thinking_levels() })
    }
    async fn set_steering_mode(&self, choice: SetSteeringMode) -> Result<Done, Failure> {
        self.session().set_steering_mode(choices::queue_mode(choice.mode)).await?;
        Ok(Done)
    }
    async fn set_follow_up_mode(&self, choice: SetFollowUpMode) -> Result<Done, Failure> {
        self.session().set_follow_up_mode(choices::queue_mode(choice.mode)).await?;
        Ok(Done)
    }
    async fn compact(&self, compact: Compact) -> Result<CompactionDone, Failure> {
        Ok(self.session().compact(compact.custom_instructions).await?)
    }
    async fn set_auto_compaction(&self, choice: SetAutoCompaction) -> Result<Done, Failure> {
        self.session().set_auto_compaction(choice.enabled).await?;
        Ok(Done)
    }
    async fn set_auto_retry(&self, choice: SetAutoRetry) -> Result<Done, Failure> {
        self.session().set_auto_retry(choice.enabled).await?;
        Ok(Done)
    }
    async fn abort_retry(&self, _: AbortRetry) -> Result<Done, Failure> {
        self.session().abort_retry();
        Ok(Done)
    }
    async fn bash(&self, command: Bash) -> Result<BashDone, Failure> {
        bash::bash(self, command).await
    }
    async fn abort_bash(&self, _: AbortBash) -> Result<Done, Failure> {
        self.session().abort_bash();
        Ok(Done)
    }
    async fn new_session(&self, new: NewSession) -> Result<Cancellable, Failure> {
        session::new(self.session(), new).await
    }
    async fn switch_session(&self, switch: SwitchSession) -> Result<Cancellable, Failure> {
        session::switch(self.session(), switch).await
    }
    async fn fork(&self, fork: Fork) -> Result<Forked, Failure> {
        session::fork(self.session(), fork).await
    }
    async fn clone_session(&self, _: CloneSession) -> Result<Cancellable, Failure> {
        let cancelled = self.session().clone_session().await?.cancelled;
        Ok(Cancellable { cancelled })
    }
    async fn get_fork_messages(&self, _: GetForkMessages) -> Result<ForkPoints, Failure> {
        Ok(session::fork_points(self.session()))
    }
    async fn get_entries(&self, asked: GetEntries) -> Result<Entries, Failure> {
        session::entries(self.session(), asked)
    }
    async fn get_tree(&self, _: GetTree) -> Result<Tree, Failure> {
        session::tree(self.session())
    }
    async fn get_session_stats(&self, _: GetSessionStats) -> Result<SessionStats, Failure> {
        Ok(state::stats(self.session()))
    }
    async fn set_session_name(&self, named: SetSessionName) -> Result<Done, Failure> {
        session::rename(self.session(), &named.name)
    }
    async fn export_html(&self, export: ExportHtml) -> Result<Exported, Failure> {
        session::export(self.session(), export).await
    }
}
