//! What a script asks for, and who answers.

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// Answers what scripts ask for.
pub trait ScriptHost: Send + Sync {
    /// Takes a question up, now: the order of the calls of this function is the order in which the script asked. Dropping
    /// the answer cancels what was asked for, and so does `cancel`.
    fn ask(&self, ask: Ask, cancel: CancellationToken) -> BoxFuture<'static, Answer>;
}

/// The answer: a value, which is `None` for `undefined`, or the text of an error.
pub type Answer = Result<Option<Value>, String>;

/// A question of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// What is asked for.
    pub target: Target,
    /// The argument of a tool; the list of all arguments of a helper.
    pub args: Value,
}

/// What a script asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The tool of this name.
    Tool(String),
    /// One of the functions that every script has.
    Helper(Helper),
}

/// The functions that the host answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Helper {
    /// `searchTools(query, options)`
    SearchTools,
    /// `describeTool(name)`
    DescribeTool,
    /// `describeNamespace(name)`
    DescribeNamespace,
    /// `models.getModelsOfType(type, provider)`
    ModelsOfType,
    /// `models.getAvailableOfType(type, provider)`
    AvailableOfType,
    /// `models.getModelOfType(type, provider, id)`
    ModelOfType,
    /// `models.classify(model, context)`
    Classify,
    /// `models.generateImages(model, context)`
    GenerateImages,
}

impl Helper {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::SearchTools,
        Self::DescribeTool,
        Self::DescribeNamespace,
        Self::ModelsOfType,
        Self::AvailableOfType,
        Self::ModelOfType,
        Self::Classify,
        Self::GenerateImages,
    ];

    /// What a script calls it: a global, or a member of one.
    pub fn name(self) -> &'static str {
        match self {
            Self::SearchTools => "searchTools",
            Self::DescribeTool => "describeTool",
            Self::DescribeNamespace => "describeNamespace",
            Self::ModelsOfType => "models.getModelsOfType",
            Self::AvailableOfType => "models.getAvailableOfType",
            Self::ModelOfType => "models.getModelOfType",
            Self::Classify => "models.classify",
            Self::GenerateImages => "models.generateImages",
        }
    }

    /// Whether it spends money, so that the user wants to read of it.
    pub fn spends(self) -> bool {
        matches!(self, Self::Classify | Self::GenerateImages)
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|helper| helper.name() == name)
    }
}

impl Target {
    /// What people read.
    pub fn name(&self) -> &str {
        match self {
            Self::Tool(name) => name,
            Self::Helper(helper) => helper.name(),
        }
    }

    /// Whether it belongs to the calls that are counted: it does something outside of the script.
    pub fn is_call(&self) -> bool {
        match self {
            Self::Tool(_) => true,
            Self::Helper(helper) => helper.spends(),
        }
    }
}
