//! What an extension says of a tool, as far as it makes sense.

use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use tau_ai::ConstrainedSampling;
use tau_hooks::table::nearest;
use tau_hooks::{Report, ReportKind};
use tau_tools::{Exposure, ToolAnnotations, ToolNamespace, ToolSpec};

use super::Extension;

/// Takes out what older tools may have under these names for purposes of their own, and reports it. A tool whose exposure
/// nobody knows is out of reach: it must not be offered to anyone by mistake.
pub(super) fn read(mut spec: Json, extension: &Extension, location: &str) -> Result<ToolSpec, serde_json::Error> {
    let name = spec["name"].as_str().unwrap_or_default().to_owned();
    let report = |kind: ReportKind| {
        extension.report(&Report {
            extension: extension.owner.path.clone(),
            event: "registerTool".to_owned(),
            kind,
            location: Some(location.to_owned()),
            failures: extension.owner.dialect.failures,
        });
    };
    if let Some(fields) = spec.as_object_mut() {
        if let Some(value) = fields.get("exposure").filter(|value| !fits::<Exposure>(value)) {
            let given = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            report(ReportKind::UnknownName {
                what: "exposure of a tool",
                nearest: nearest(&given, Exposure::ALL.map(Exposure::as_str)).map(str::to_owned),
                name: given,
            });
            fields.insert("exposure".to_owned(), Exposure::Hidden.as_str().into());
        }
        type Check = fn(&Json) -> bool;
        let checks: [(&str, Check, &str); 5] = [
            ("defaultActive", Json::is_boolean, "true or false"),
            ("namespace", fits::<ToolNamespace>, "an object with a name"),
            ("annotations", fits::<ToolAnnotations>, "an object of hints that are true or false"),
            ("outputSchema", Json::is_object, "a schema"),
            (
                "constrainedSampling",
                fits::<ConstrainedSampling>,
                "`false`, a `json_schema` that is preferred or required, or a `grammar` with variants",
            ),
        ];
        for (field, fits, wanted) in checks {
            if fields.get(field).is_some_and(|value| !fits(value)) {
                fields.remove(field);
                report(ReportKind::Diagnostic(format!(
                    "the `{field}` of tool \"{name}\" is not used: it must be {wanted}"
                )));
            }
        }
    }
    serde_json::from_value(spec)
}

fn fits<T: DeserializeOwned>(value: &Json) -> bool {
    T::deserialize(value).is_ok()
}
