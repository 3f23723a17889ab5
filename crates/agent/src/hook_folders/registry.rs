//! The registry of hooks: who looks for them, who comes first, and which of two of a kind is used.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use crate::found::Skipped;
use crate::found::{HookItem, HookLevel};
use crate::settings::{Environment, Settings, keys};

/// Where a provider looks.
#[derive(Debug, Clone, Copy)]
pub struct ProviderPlace<'a> {
    /// Directories and variables.
    pub env: &'a Environment,
    /// Whether the project's files may be looked at.
    pub project: bool,
}

/// What a provider found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provided {
    /// Hooks, the first ones first.
    pub items: Vec<HookItem>,
    /// What it passed over for reasons of its own.
    pub skipped: Vec<Skipped>,
    /// What is wrong.
    pub warnings: Vec<String>,
}

type Load = Box<dyn Fn(ProviderPlace<'_>) -> Result<Provided, String> + Send + Sync>;

/// Somebody who knows where hooks are.
pub struct HookProvider {
    /// What settings call it.
    pub id: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// Higher ones come first; of equal ones the one that was registered first.
    pub priority: i32,
    /// Whether it is asked only when the user says so.
    pub opt_in: bool,
    /// Looks. It shares nothing with others, so several may be asked at a time.
    pub load: Load,
}

/// Which providers and hooks the user wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookChoice {
    /// Providers that are not asked: the setting `disabledProviders`.
    pub disabled_providers: Vec<String>,
    /// Providers that are asked although they are off by default: the setting `tau.shellHooks.providers`.
    pub enabled_providers: Vec<String>,
    /// Hooks that do not count, by their ids: the setting `discovery.disabledExtensions`.
    pub disabled_hooks: Vec<String>,
}

/// Everything the registry has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookCapability {
    /// The hooks that are used, in order.
    pub items: Vec<HookItem>,
    /// The hooks that are not, and why.
    pub skipped: Vec<Skipped>,
    /// What is wrong.
    pub warnings: Vec<(PathBuf, String)>,
    /// The providers that could not tell what they have, and why.
    pub failed: Vec<(PathBuf, String)>,
    /// The ids of the providers that were asked, in order.
    pub providers: Vec<&'static str>,
    /// The ids of the hooks that settings switch off.
    pub disabled: Vec<String>,
}

/// Everybody who knows where hooks are.
#[derive(Default)]
pub struct HookRegistry {
    providers: Vec<HookProvider>,
}

impl HookChoice {
    /// What the settings say.
    pub fn of(settings: &Settings) -> Self {
        Self {
            disabled_providers: settings.of(keys::DISABLED_PROVIDERS).unwrap_or_default(),
            enabled_providers: settings.tau().shell_hooks.providers,
            disabled_hooks: settings.of(keys::DISABLED_HOOKS).unwrap_or_default(),
        }
    }

    fn asks(&self, provider: &HookProvider) -> bool {
        let named = |list: &[String]| list.iter().any(|id| id == provider.id);
        !named(&self.disabled_providers) && (!provider.opt_in || named(&self.enabled_providers))
    }
}

impl HookRegistry {
    /// Whether the provider with this id is asked.
    pub fn asks(&self, id: &str, choice: &HookChoice) -> bool {
        self.providers.iter().any(|provider| provider.id == id && choice.asks(provider))
    }

    /// Adds a provider.
    pub fn register(&mut self, provider: HookProvider) {
        let place = self.providers.partition_point(|other| other.priority >= provider.priority);
        self.providers.insert(place, provider);
    }

    /// Asks everybody and decides what is used. Of several hooks with the same key the first counts, also when it is of
    /// no use itself.
    pub fn load(&self, place: ProviderPlace<'_>, choice: &HookChoice) -> HookCapability {
        let mut capability = HookCapability { warnings: self.misspelt(choice), ..HookCapability::default() };
        let mut first: HashMap<String, (PathBuf, HookLevel)> = HashMap::new();
        for provider in self.providers.iter().filter(|provider| choice.asks(provider)) {
            capability.providers.push(provider.id);
            let provided = match catch_unwind(AssertUnwindSafe(|| (provider.load)(place))) {
                Ok(Ok(provided)) => provided,
                Ok(Err(error)) => {
                    capability.fail(provider, &error);
                    continue;
                }
                Err(_) => {
                    capability.fail(provider, "it crashed");
                    continue;
                }
            };
            provided.warnings.into_iter().for_each(|warning| capability.warn(provider, warning));
            capability.skipped.extend(provided.skipped);
            for mut item in provided.items {
                provider.id.clone_into(&mut item.provider);
                provider.name.clone_into(&mut item.provider_name);
                capability.take(item, choice, &mut first);
            }
        }
        capability.name_misspelt(choice);
        capability
    }

    /// Providers that settings name in a way that is near to one and not it. Others may be known to other programs, but not
    /// those of a setting that is tau's own.
    fn misspelt(&self, choice: &HookChoice) -> Vec<(PathBuf, String)> {
        let ids = || self.providers.iter().map(|provider| provider.id);
        let mut warnings = Vec::new();
        for (setting, names, is_own) in [
            ("disabledProviders", &choice.disabled_providers, false),
            ("tau.shellHooks.providers", &choice.enabled_providers, true),
        ] {
            for name in names.iter().filter(|name| !ids().any(|id| id == name.as_str())) {
                let near = near(name, ids());
                if near.is_some() || is_own {
                    let known = ids().collect::<Vec<_>>().join(", ");
                    let hint = near.map_or(format!("; there are {known}"), |id| format!("; did you mean `{id}`?"));
                    let text = format!("names `{name}`, which is no provider of hooks{hint}");
                    warnings.push((PathBuf::from(setting), text));
                }
            }
        }
        warnings
    }
}

/// The name that one was meant to be, if it is near.
fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const FARTHEST: usize = 2;
    let name = name.to_lowercase();
    let all = known.map(|known| (strsim::damerau_levenshtein(&known.to_lowercase(), &name), known));
    all.min().filter(|(distance, _)| *distance <= FARTHEST).map(|(_, known)| known)
}

impl HookCapability {
    /// Warns of ids in the setting `discovery.disabledExtensions` that are near to that of a hook and not it: the user
    /// believes that it is off.
    fn name_misspelt(&mut self, choice: &HookChoice) {
        let ids: Vec<String> = self.items.iter().map(HookItem::id).collect();
        let hooks = choice.disabled_hooks.iter().filter(|id| id.starts_with("hook:"));
        for wanted in hooks.filter(|wanted| !self.disabled.contains(wanted)) {
            if let Some(id) = near(wanted, ids.iter().map(String::as_str)) {
                let text = format!("names `{wanted}`, and there is no such hook; did you mean `{id}`?");
                self.warnings.push((PathBuf::from("discovery.disabledExtensions"), text));
            }
        }
    }

    fn fail(&mut self, provider: &HookProvider, why: &str) {
        self.failed.push((PathBuf::from(provider.id), why.to_owned()));
        self.warn(provider, format!("failed to load: {why}"));
    }

    fn warn(&mut self, provider: &HookProvider, text: String) {
        self.warnings.push((PathBuf::from(provider.id), format!("[{}] {text}", provider.name)));
    }

    fn take(&mut self, item: HookItem, choice: &HookChoice, first: &mut HashMap<String, (PathBuf, HookLevel)>) {
        let skipped = |item: &HookItem, reason: String, shadowed_by| Skipped {
            path: item.path.clone(),
            source: item.source(),
            reason,
            shadowed_by,
        };
        if choice.disabled_hooks.contains(&item.id()) {
            self.disabled.push(item.id());
            let reason = format!("the setting discovery.disabledExtensions names {}", item.id());
            self.skipped.push(skipped(&item, reason, None));
            return;
        }
        if let Some((path, level)) = first.get(&item.key()) {
            if (*level, item.level) == (HookLevel::Project, HookLevel::User) {
                let text =
                    format!("this hook of yours is not used: the project has one of the same name, {}", path.display());
                self.warnings.push((item.path.clone(), text));
            }
            let reason = "another one of the same name comes first".to_owned();
            self.skipped.push(skipped(&item, reason, Some(path.clone())));
            return;
        }
        first.insert(item.key(), (item.path.clone(), item.level));
        match item.fault() {
            Some(fault) => {
                self.warnings.push((item.path.clone(), format!("this hook is not used: {fault}")));
                self.skipped.push(skipped(&item, fault.to_owned(), None));
            }
            None => self.items.push(item),
        }
    }
}
