// `pi-coding-agent`: the names of all its published generations, and where each is.
import { lazyExports } from "./exports.ts";

lazyExports(
  "tau:pi/coding-agent.ts",
  {
    "coding-agent/config.ts": `VERSION CONFIG_DIR_NAME CURRENT_SESSION_VERSION getAgentDir getPackageDir getReadmePath
      getDocsPath getExamplesPath createSyntheticSourceInfo`,
    "coding-agent/virtual_models.ts": "VIRTUAL_MODEL_STATE_ENTRY",
    "coding-agent/guards.ts": `isToolCallEventType isBashToolResult isPowerShellToolResult isReadToolResult
      isEditToolResult isWriteToolResult isGrepToolResult isFindToolResult isLsToolResult defineTool`,
    "coding-agent/truncate.ts": `DEFAULT_MAX_BYTES DEFAULT_MAX_LINES formatSize truncateHead truncateTail truncateLine
      truncateToVisualLines`,
    "coding-agent/frontmatter.ts": "parseFrontmatter stripFrontmatter parseSkillBlock",
    "coding-agent/tools.ts": `createReadTool createBashTool createEditTool createWriteTool createGrepTool createFindTool
      createLsTool createReadToolDefinition createBashToolDefinition createEditToolDefinition
      createWriteToolDefinition createGrepToolDefinition createFindToolDefinition createLsToolDefinition
      createCodingTools createReadOnlyTools createAllTools wrapRegisteredTool wrapRegisteredTools`,
    "coding-agent/tool_renderers.ts": "formatReadLineRange",
    "coding-agent/cwd_tools.ts": `readTool bashTool editTool writeTool grepTool findTool lsTool codingTools
      readOnlyTools`,
    "coding-agent/shell.ts": `createLocalBashOperations getShellConfig execCommand`,
    "coding-agent/mutation_queue.ts": "withFileMutationQueue",
    "coding-agent/diff.ts": "generateDiffString generateUnifiedPatch renderDiff",
    "coding-agent/messages.ts": "convertToLlm serializeConversation",
    "coding-agent/older_models.ts": "findModel getApiKeyForModel getAvailableModels messageTransformer",
    "coding-agent/compaction.ts": `DEFAULT_COMPACTION_SETTINGS calculateContextTokens estimateTokens shouldCompact
      findCutPoint findTurnStartIndex getLastAssistantUsage prepareCompaction`,
    "coding-agent/branch_summary.ts": "collectEntriesForBranchSummary prepareBranchEntries",
    "coding-agent/session_entries.ts": `parseSessionEntries migrateSessionEntries getLatestCompactionEntry
      sessionEntryToContextMessages buildContextEntries buildSessionProjection buildSessionContext`,
    "coding-agent/session_manager.ts": "SessionManager",
    "coding-agent/settings_manager.ts": "SettingsManager",
    "coding-agent/auth_storage.ts": `AuthStorage FileAuthStorageBackend InMemoryAuthStorageBackend
      readStoredCredential`,
    "coding-agent/model_registry.ts": "ModelRegistry resolveModelScopeWithDiagnostics",
    "coding-agent/sdk.ts": `createAgentSession createAgentSessionServices createAgentSessionFromServices
      createAgentSessionRuntime AgentSessionRuntime`,
    "coding-agent/agent_session.ts": "AgentSession",
    "coding-agent/resource_loader.ts": "DefaultResourceLoader createExtensionRuntime",
    "coding-agent/skills.ts": "loadSkills loadSkillsFromDir formatSkillsForPrompt",
    "coding-agent/context_files.ts": "loadProjectContextFiles hasTrustRequiringProjectResources",
    "coding-agent/event_bus.ts": "createEventBus",
    "coding-agent/images.ts": `resizeImage convertToPng formatDimensionNote detectSupportedImageMimeTypeFromFile`,
    "coding-agent/clipboard.ts": "copyToClipboard",
    "coding-agent/highlight.ts": "highlightCode getLanguageFromPath",
    "../host/theme.ts": "Theme initTheme theme",
    "coding-agent/themes.ts": "getMarkdownTheme getSelectListTheme getSettingsListTheme getEditorTheme",
    "coding-agent/key_hints.ts": "keyHint keyText rawKeyHint appKey appKeyHint editorKey",
    "coding-agent/dynamic_border.ts": "DynamicBorder",
    "coding-agent/bordered_loader.ts": "BorderedLoader",
    "coding-agent/custom_editor.ts": "CustomEditor",
    "hooks/index.ts": "HookRunner HookToolWrapper discoverAndLoadHooks loadHooks wrapToolWithHooks wrapToolsWithHooks",
  },
  `ArminComponent AssistantMessageComponent BashExecutionComponent
    BranchSummaryMessageComponent CompactionSummaryMessageComponent CredentialSynchronizationError
    CustomMessageComponent DefaultPackageManager ExtensionEditorComponent
    ExtensionInputComponent ExtensionRunner ExtensionSelectorComponent FooterComponent InteractiveMode
    LoginDialogComponent ModelRuntime ModelSelectorComponent OAuthSelectorComponent
    ProjectTrustStore RpcClient SessionSelectorComponent SettingsSelectorComponent ShowImagesSelectorComponent
    SkillInvocationMessageComponent ThemeSelectorComponent ThinkingSelectorComponent ToolExecutionComponent
    TreeSelectorComponent UserMessageComponent UserMessageSelectorComponent compact createCodemodeExtension createMcpExtension createToolSearchExtension
    buildSystemPrompt createLocalPowerShellOperations createPowerShellTool createPowerShellToolDefinition
    discoverAndLoadCustomTools discoverAndLoadExtensions discoverAuthStorage discoverContextFiles discoverCustomTools
    discoverHooks discoverModels discoverSkills discoverSlashCommands loadCustomTools loadSettings
    generateBranchSummary generateSummary generateSummaryWithUsage getPowerShellConfig
    main parseArgs resolveCliModel runPrintMode runRpcMode`,
);
