//! What models do that do not converse: they answer questions about data, or make pictures.
//!
//! Each is one request with one answer. Like a stream, it never fails: what went wrong is in the result.

mod brought;
mod classifier;
mod images;
mod pairs;
mod request;

pub use brought::Operations;
pub use classifier::{
    BoolCriteria, ClassifierAnswer, ClassifierApi, ClassifierContext, ClassifierQuestion, ClassifierResult,
};
pub use images::{AssistantImages, ImagesApi, ImagesContext};
pub use request::{OperationLimits, OperationRequest};
