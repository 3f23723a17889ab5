//! The instructions of a skill in a prompt.

/// A prompt that begins with the instructions of a skill, as `/skill:name` makes it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UsedSkill<'a> {
    /// The name of the skill.
    pub(crate) name: &'a str,
    /// Its instructions.
    pub(crate) body: &'a str,
    /// What was written behind the name.
    pub(crate) prompt: &'a str,
}

impl<'a> UsedSkill<'a> {
    /// The skill of a prompt, if it begins with one.
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        let (name, rest) = text.strip_prefix("<skill name=\"")?.split_once("\" location=\"")?;
        let (_, rest) = rest.split_once("\">\n")?;
        let (body, rest) = rest.split_once("\n</skill>")?;
        let is_whole = rest.is_empty() || rest.starts_with("\n\n");
        is_whole.then(|| Self { name, body, prompt: rest.trim() })
    }

    /// What the user typed.
    pub(crate) fn typed(&self) -> String {
        format!("/skill:{} {}", self.name, self.prompt).trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::UsedSkill;

    #[test]
    fn a_skill_is_told_from_text_about_one() {
        let text = "<skill name=\"pdf\" location=\"/s/SKILL.md\">\nRead it.\n\n# How\n</skill>\n\nthe last page";
        let skill = UsedSkill::of(text).expect("a skill");
        assert_eq!((skill.name, skill.body, skill.prompt), ("pdf", "Read it.\n\n# How", "the last page"));
        assert_eq!(skill.typed(), "/skill:pdf the last page");
        let alone = UsedSkill::of(text.strip_suffix("\n\nthe last page").expect("its end")).expect("a skill");
        assert_eq!((alone.prompt, alone.typed()), ("", "/skill:pdf".to_owned()));
        for other in ["<skill name=\"pdf\">", "see <skill name=\"a\" location=\"b\">\nc\n</skill>", ""] {
            assert_eq!(UsedSkill::of(other), None);
        }
    }
}
