// `pi-ai`: the names of all its published generations and subpaths, and where each is.
import { lazyExports } from "./exports.ts";

lazyExports(
  "tau:pi/ai.ts",
  {
    "ai/type.ts": "Type StringEnum",
    "ai/content.ts": "contentText getSystemMessageText renderSystemMessageUpdate",
    "ai/event_stream.ts": `EventStream AssistantMessageEventStream createAssistantMessageEventStream lazyStream
      lazyApi`,
    "ai/known_models.ts": `getModelType isModelType getAllBuiltinModels getBuiltinImageModel getBuiltinImageModels
      getBuiltinClassifierModel getBuiltinClassifierModels getImageModel getImageModels getImageProviders
      getModel getModels getProviders getBuiltinModel getBuiltinModels getBuiltinProviders
      calculateCost getSupportedThinkingLevels clampThinkingLevel supportsXhigh modelsAreEqual hasApi`,
    "ai/api_registry.ts": `registerApiProvider unregisterApiProviders getApiProvider getApiProviders
      registerBuiltInApiProviders resetApiProviders clearApiProviders stream streamSimple complete completeSimple`,
    "ai/native_apis.ts": `streamAnthropic streamSimpleAnthropic anthropicMessagesApi streamOpenAICompletions
      streamSimpleOpenAICompletions openAICompletionsApi streamGoogle streamSimpleGoogle googleGenerativeAIApi
      streamGoogleVertex streamSimpleGoogleVertex googleVertexApi openAIResponsesApi streamOpenAIResponses
      streamSimpleOpenAIResponses openAICodexResponsesApi streamOpenAICodexResponses streamSimpleOpenAICodexResponses
      azureOpenAIResponsesApi streamAzureOpenAIResponses streamSimpleAzureOpenAIResponses mistralConversationsApi
      streamMistral streamSimpleMistral bedrockConverseStreamApi bedrockProviderModule`,
    "ai/one_answer.ts": `generateImages generateImagesOpenRouter registerImagesApiProvider getImagesApiProvider
      registerBuiltInImagesApiProviders`,
    "ai/provider.ts": "createProvider envApiKeyAuth defaultProviderAuthContext lazyOAuth",
    "ai/env_keys.ts": `ANTHROPIC_FEDERATION_RULE_ID_ENV ANTHROPIC_ORGANIZATION_ID_ENV
      ANTHROPIC_SERVICE_ACCOUNT_ID_ENV ANTHROPIC_IDENTITY_TOKEN_FILE_ENV ANTHROPIC_WORKSPACE_ID_ENV
      ANTHROPIC_API_KEY_ENV ANTHROPIC_AUTH_TOKEN_ENV ANTHROPIC_OAUTH_TOKEN_ENV getEnvApiKey`,
    "ai/json.ts": "repairJson parseJsonWithRepair parseStreamingJson parseToolCallArguments",
    "ai/streaming_json.ts": "StreamingJsonParser ToolCallArgumentsStream",
    "ai/models_error.ts": "ModelsError",
    "ai/identity.ts": `PI_AI_VERSION PI_ATTRIBUTION formatUserAgent getAttributionHeaders getClientVersion
      getIdentityHeaders getOpenCodeSessionHeaders mergeClientIdentity withClientIdentity`,
    "ai/cache_warming.ts": `CACHE_WARMING_IDLE_CONTINUATION_PROBABILITY CACHE_WARMING_MAX_AGE_MS
      CACHE_WARMING_MAX_IDLE_AGE_MS CACHE_WARMING_MINIMUM_EXPECTED_SAVINGS evaluateCacheWarming getCacheWarmingDelayMs
      getCacheWarmingRequestOptions getPromptCacheTtlMs isCacheWarmingReplayable`,
    "ai/validation.ts": "validateToolCall validateToolArguments",
    "ai/transcript.ts": `createInitialSystemMessage normalizeContext getInitialSystemMessage
      withoutInitialSystemMessage getCurrentTools getCurrentSystemMessage getCurrentSystemPrompt
      collapseSystemMessages resolveTranscript`,
    "ai/tool_state.ts": `toToolDeclaration declarationsEqual getToolStateChanges getDeclaredTools
      hasToolRedefinitions hasNonAdditiveToolChanges resolveTranscriptTools`,
    "ai/transform_messages.ts": "transformMessages",
    "ai/overflow.ts": "isContextOverflow isRecoverableLength getOverflowPatterns",
    "ai/retry.ts": `DEFAULT_MAX_AGENT_RETRY_DELAY_MS retryDelayMs retryAssistantCall isRetryableAssistantError
      extractRetryDelay`,
    "ai/diagnostics.ts": `formatThrownValue extractDiagnosticError createAssistantMessageDiagnostic
      appendAssistantMessageDiagnostic`,
    "ai/uuid.ts": "uuidv7",
    "ai/session_resources.ts": "registerSessionResourceCleanup cleanupSessionResources",
    "ai/oauth_registry.ts": `registerOAuthProvider unregisterOAuthProvider resetOAuthProviders getOAuthProvider
      getOAuthProviders getOAuthProviderInfoList getOAuthApiKey refreshOAuthToken normalizeDomain
      getGitHubCopilotBaseUrl`,
  },
  `AI_TELEMETRY_SCHEMA AssistantMessageFrameEncoder InMemoryCredentialStore InMemoryModelsStore
    anthropicOAuthProvider antigravityOAuthProvider buildRequest builtinImagesModels builtinImagesProviders
    builtinModels builtinProviders convertMessages createFauxCore createImagesModels createImagesProvider
    createModels fauxAssistantMessage fauxProvider fauxText fauxThinking fauxToolCall findEnvKeys
    geminiCliOAuthProvider getBuiltinModelDataGeneratedAt githubCopilotOAuthProvider loginAnthropic loginAntigravity
    loginGeminiCli loginGitHubCopilot loginOpenAICodex openaiCodexOAuthProvider piMessagesApi radiusProvider
    reduceAssistantMessageFrames refreshAnthropicToken refreshAntigravityToken refreshGitHubCopilotToken
    refreshGoogleCloudToken refreshOpenAICodexToken registerFauxProvider setBedrockProviderLoader
    setBedrockProviderModule streamGoogleGeminiCli streamSimpleGoogleGeminiCli`,
);

// For the type checker: the names that other modules of the runtime take from here.
export declare const complete: typeof import("./ai/api_registry.ts").complete;
export declare const isModelType: typeof import("./ai/known_models.ts").isModelType;
export declare const lazyStream: typeof import("./ai/event_stream.ts").lazyStream;
