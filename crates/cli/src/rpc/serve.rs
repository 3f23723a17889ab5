//! Which function does which command.

use tau_rpc::*;

use super::commands::{bash, choices, prompting, session, state};
use super::server::Server;

/// What each command does.
impl Serve for Server {
    fn tell<R: Request>(&self, done: Result<R::Answer, Failure>) {
        if !self.answers_later() {
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
        for problem in self.session().add_local_models().await {
            tracing::warn!("local models: {problem}");
        }
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
