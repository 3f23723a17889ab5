// `pi-coding-agent`: the names of all its published generations, and where each is.
import { lazyExports } from "./exports.ts";

lazyExports(
  "tau:pi/coding-agent.ts",
  {
    "coding-agent/config.ts": `VERSION CONFIG_DIR_NAME CURRENT_SESSION_VERSION getAgentDir getPackageDir getReadmePath
      getDocsPath getExamplesPath createSyntheticSourceInfo`,
    "coding-agent/builtins.ts": "createCodemodeExtension createMcpExtension createToolSearchExtension",
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
    "coding-agent/conversation/assistant_message.ts": "AssistantMessageComponent",
    "coding-agent/conversation/user_message.ts": "UserMessageComponent",
    "coding-agent/conversation/folded_message.ts": `CompactionSummaryMessageComponent BranchSummaryMessageComponent
      SkillInvocationMessageComponent`,
    "coding-agent/conversation/custom_message.ts": "CustomMessageComponent",
    "coding-agent/conversation/bash_execution.ts": "BashExecutionComponent",
    "coding-agent/conversation/tool_execution.ts": "ToolExecutionComponent",
    "coding-agent/footer.ts": "FooterComponent",
    "coding-agent/dialogs/extension_selector.ts": "ExtensionSelectorComponent",
    "coding-agent/dialogs/extension_input.ts": "ExtensionInputComponent",
    "coding-agent/dialogs/extension_editor.ts": "ExtensionEditorComponent",
    "coding-agent/dialogs/choices.ts": "ShowImagesSelectorComponent ThemeSelectorComponent ThinkingSelectorComponent",
    "coding-agent/dialogs/model_selector.ts": "ModelSelectorComponent",
    "coding-agent/dialogs/oauth_selector.ts": "OAuthSelectorComponent",
    "coding-agent/dialogs/session_selector.ts": "SessionSelectorComponent",
    "coding-agent/dialogs/settings_selector.ts": "SettingsSelectorComponent",
    "coding-agent/dialogs/tree_selector.ts": "TreeSelectorComponent",
    "coding-agent/dialogs/user_message_selector.ts": "UserMessageSelectorComponent",
    "coding-agent/dialogs/login_dialog.ts": "LoginDialogComponent",
    "hooks/index.ts": "HookRunner HookToolWrapper discoverAndLoadHooks loadHooks wrapToolWithHooks wrapToolsWithHooks",
  },
  `ArminComponent CredentialSynchronizationError DefaultPackageManager ExtensionRunner InteractiveMode ModelRuntime
    ProjectTrustStore RpcClient buildSystemPrompt compact createLocalPowerShellOperations
    createPowerShellTool createPowerShellToolDefinition
    discoverAndLoadCustomTools discoverAndLoadExtensions discoverAuthStorage discoverContextFiles discoverCustomTools
    discoverHooks discoverModels discoverSkills discoverSlashCommands generateBranchSummary generateSummary
    generateSummaryWithUsage getPowerShellConfig loadCustomTools loadSettings main parseArgs resolveCliModel runPrintMode
    runRpcMode`,
);
