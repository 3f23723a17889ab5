// `pi-agent-core`: the names of all its published generations, and where each is.
import { lazyExports } from "./exports.ts";

lazyExports(
  "tau:pi/agent-core.ts",
  {
    "agent-core/agent.ts": "Agent",
    "agent-core/identity.ts": "DEFAULT_AGENT_IDENTITY",
    "agent-core/loop.ts": `agentLoop agentLoopContinue runAgentLoop runAgentLoopContinue runToolCall setDefaultStreamFn`,
    "coding-agent/truncate.ts": `DEFAULT_MAX_BYTES DEFAULT_MAX_LINES GREP_MAX_LINE_LENGTH formatSize truncateHead
      truncateTail truncateLine`,
    "coding-agent/tools.ts": "createReadTool createBashTool createEditTool createWriteTool",
    "coding-agent/messages.ts": `BRANCH_SUMMARY_PREFIX BRANCH_SUMMARY_SUFFIX COMPACTION_SUMMARY_PREFIX
      COMPACTION_SUMMARY_SUFFIX bashExecutionToText convertToLlm createBranchSummaryMessage
      createCompactionSummaryMessage createCustomMessage serializeConversation`,
    "coding-agent/compaction.ts": `DEFAULT_COMPACTION_SETTINGS calculateContextTokens estimateContextTokens
      estimateTokens findCutPoint findTurnStartIndex getLastAssistantUsage prepareCompaction shouldCompact`,
    "coding-agent/branch_summary.ts": "collectEntriesForBranchSummary prepareBranchEntries",
    "agent-core/templates.ts": "parseCommandArgs substituteArgs",
    "agent-core/text.ts": "sanitizeBinaryOutput utf8ByteLength toError",
    "ai/uuid.ts": "uuidv7",
  },
  `AGENT_TELEMETRY_SCHEMAS AI_TELEMETRY_SCHEMA AgentHarness BACKGROUND_CONTEXT BranchSummaryError Closed
    CompactionError ExecutionError FileError HARNESS_TELEMETRY_SCHEMA HarnessClosed HarnessFault
    InMemoryTelemetryContext InvalidLane InvalidMessage InvalidNavigation JSONL_STORAGE_VERSION JsonlSessionRepo
    LaneBusy MemorySessionRepo NOOP_TELEMETRY_CONTEXT NoActiveOperation NoActiveRun NodeExecutionEnv NothingToCompact
    NothingToResume OperationMismatch Result SessionBranchExistsError SessionInvalidBranchError SessionInvariantError
    SessionPendingAssistantMessageError SessionUnknownTargetError SliceNotImplemented StorageBackedSession
    TODO_CONTEXT TaggedError UnknownSkill UnknownTarget UnknownTemplate appendList applyShellOutputUpdate
    awaitWithContext branchTip branchTipInventoryPrefix commitWrite compact createContextKey createForkSnapshot
    createTypedSpanStarter defineTelemetrySchema deleteList deleteValue entryLabel err executeShellWithCapture
    formatPromptTemplateInvocation formatSkillInvocation formatSkillsForSystemPrompt generateBranchSummary
    generateSummary generateSummaryWithUsage getOrThrow getOrUndefined getTelemetryContext insertEntry insertUsage
    laneConfig laneState list loadPromptTemplates loadSkills loadSourcedPromptTemplates loadSourcedSkills matchError
    ok operationMeta operationPreparation operationPreparationPrefix operationResult operationScopeOf operationState
    operationToolArgs operationToolArgsPrefix operationToolMemo operationToolMemoPrefix pendingAssistantFrames
    pendingEntry pendingToolOutput pendingToolOutputPrefix prepareStorageCommit projectForkCurrentStateWrite
    reduceLaneSnapshot resolveListReadOptions sessionName setValue startAiSpan startHarnessSpan streamProxy
    validateCommittedWrites value withAbortSignal withCancel withContextValue withTelemetryContext
    withoutAbortSignal`,
);
