//! The session as extensions see it: what they may see, do, control and open, a trait each.

mod actions;
mod children;
mod control;
mod driving;
mod requests;
mod sessions;
mod view;

pub use self::actions::HostActions;
pub use self::children::{
    Beyond, ChildError, ChildEvent, ChildExtensions, ChildFile, ChildHooks, ChildInfo, ChildLife, ChildListener,
    ChildLoader, ChildRequest, ChildResources, ChildSession, ChildSkill, ChildSubscription, ChildTemplate, WholeEvent,
};
pub use self::control::HostControl;
pub use self::driving::{
    ChildPrompt, Cycled, Direction, QueueMode, QueuedTexts, SessionDriver, SessionStats, TokenTotals,
};
pub use self::requests::{
    CommandInfo, CompactCallback, ContextUsage, DeliverAs, ExecOptions, ExecResult, ScopedModel, SendOptions,
    UpcomingRequest, UserMessageOptions,
};
pub use self::sessions::HostSessions;
pub use self::view::HostView;

/// The session as extensions see it. The agent implements this by its four parts; who is given less cannot do more.
pub trait Host: HostView + HostActions + HostControl + HostSessions {}

impl<T: HostView + HostActions + HostControl + HostSessions> Host for T {}
