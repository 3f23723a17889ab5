//! Arithmetic, as far as every number in it is known.

use std::rc::Rc;

use brush_parser::ast::{ArithmeticExpr, ArithmeticTarget, BinaryOperator, UnaryAssignmentOperator, UnaryOperator};

use super::state::{State, Value};
use super::{Context, Shell, parse};
use crate::text::{Source, Text};

impl Shell<'_> {
    /// The value of an expression; `None` if it is unknown. Assignments in it are made.
    pub(super) fn arithmetic(&mut self, state: &mut State, raw: &str, context: &Context) -> Option<i64> {
        // Substitutions in it run, whatever becomes of the number.
        let text = if raw.contains(['$', '`', '\'', '"', '\\']) {
            self.string_of(state, raw, context)
        } else {
            Text::from(raw)
        };
        let Some(text) = text.known() else {
            forget(state, raw);
            return None;
        };
        if text.trim().is_empty() {
            return Some(0);
        }
        match parse::arithmetic(text) {
            Some(expression) => {
                let before = Rc::clone(&state.variables);
                let number = self.number(state, &expression, 0, context);
                // Of two ways only one is gone, so that what either assigns is unknown.
                if ["&&", "||", "?"].iter().any(|choice| text.contains(choice)) && before != state.variables {
                    forget(state, text);
                }
                number
            }
            None => {
                forget(state, text);
                None
            }
        }
    }

    fn number(
        &mut self,
        state: &mut State,
        expression: &ArithmeticExpr,
        depth: usize,
        context: &Context,
    ) -> Option<i64> {
        match expression {
            ArithmeticExpr::Literal(number) => Some(*number),
            ArithmeticExpr::Reference(target) => self.referenced(state, target, depth, context),
            ArithmeticExpr::UnaryOp(operator, one) => {
                let one = self.number(state, one, depth, context)?;
                match operator {
                    UnaryOperator::UnaryPlus => Some(one),
                    UnaryOperator::UnaryMinus => one.checked_neg(),
                    UnaryOperator::BitwiseNot => Some(!one),
                    UnaryOperator::LogicalNot => Some(i64::from(one == 0)),
                }
            }
            ArithmeticExpr::BinaryOp(operator, one, two) => {
                let one = self.number(state, one, depth, context);
                let two = self.number(state, two, depth, context);
                combined(operator, one?, two?)
            }
            ArithmeticExpr::Conditional(condition, one, two) => {
                let condition = self.number(state, condition, depth, context);
                let one = self.number(state, one, depth, context);
                let two = self.number(state, two, depth, context);
                if condition? != 0 { one } else { two }
            }
            ArithmeticExpr::Assignment(target, value) => {
                let value = self.number(state, value, depth, context);
                self.assign_number(state, target, value)
            }
            ArithmeticExpr::BinaryAssignment(operator, target, value) => {
                let value = self.number(state, value, depth, context);
                let before = self.referenced(state, target, depth, context);
                let new = before.zip(value).and_then(|(before, value)| combined(operator, before, value));
                self.assign_number(state, target, new)
            }
            ArithmeticExpr::UnaryAssignment(operator, target) => {
                let before = self.referenced(state, target, depth, context);
                let (by, is_after) = match operator {
                    UnaryAssignmentOperator::PrefixIncrement => (1, false),
                    UnaryAssignmentOperator::PrefixDecrement => (-1, false),
                    UnaryAssignmentOperator::PostfixIncrement => (1, true),
                    UnaryAssignmentOperator::PostfixDecrement => (-1, true),
                };
                let new = self.assign_number(state, target, before.and_then(|before| before.checked_add(by)));
                if is_after { before } else { new }
            }
        }
    }

    fn referenced(
        &mut self,
        state: &mut State,
        target: &ArithmeticTarget,
        depth: usize,
        context: &Context,
    ) -> Option<i64> {
        let ArithmeticTarget::Variable(name) = target else { return None };
        let text = self.variable(state, name).unwrap_or_default();
        let text = self.again(state, &text, context);
        let text = text.known()?.trim();
        if text.is_empty() {
            return Some(0);
        }
        // A variable may hold another expression.
        if depth > 8 {
            return None;
        }
        let inner = parse::arithmetic(text)?;
        self.number(state, &inner, depth + 1, context)
    }

    fn assign_number(&mut self, state: &mut State, target: &ArithmeticTarget, value: Option<i64>) -> Option<i64> {
        match target {
            ArithmeticTarget::Variable(name) => {
                let text = value.map_or_else(|| Text::unknown(Source::Local), |value| Text::new(value.to_string()));
                state.set(name, Value::One(text), self.is_inherited(name));
            }
            ArithmeticTarget::ArrayElement(name, _) => state.set(name, Value::Array(None), false),
        }
        value
    }
}

/// What an expression that is not understood may assign is unknown.
fn forget(state: &mut State, raw: &str) {
    let is_part = |ch: char| ch.is_alphanumeric() || ch == '_';
    for name in raw.split(|ch| !is_part(ch)) {
        if !state.variables.contains_key(name) {
            continue;
        }
        state.set(name, Value::One(Text::unknown(Source::Local)), false);
    }
}

fn combined(operator: &BinaryOperator, one: i64, two: i64) -> Option<i64> {
    let shift = || u32::try_from(two).ok();
    match operator {
        BinaryOperator::Power => u32::try_from(two).ok().and_then(|two| one.checked_pow(two)),
        BinaryOperator::Multiply => one.checked_mul(two),
        BinaryOperator::Divide => one.checked_div(two),
        BinaryOperator::Modulo => one.checked_rem(two),
        BinaryOperator::Comma => Some(two),
        BinaryOperator::Add => one.checked_add(two),
        BinaryOperator::Subtract => one.checked_sub(two),
        BinaryOperator::ShiftLeft => one.checked_shl(shift()?),
        BinaryOperator::ShiftRight => one.checked_shr(shift()?),
        BinaryOperator::LessThan => Some(i64::from(one < two)),
        BinaryOperator::LessThanOrEqualTo => Some(i64::from(one <= two)),
        BinaryOperator::GreaterThan => Some(i64::from(one > two)),
        BinaryOperator::GreaterThanOrEqualTo => Some(i64::from(one >= two)),
        BinaryOperator::Equals => Some(i64::from(one == two)),
        BinaryOperator::NotEquals => Some(i64::from(one != two)),
        BinaryOperator::BitwiseAnd => Some(one & two),
        BinaryOperator::BitwiseXor => Some(one ^ two),
        BinaryOperator::BitwiseOr => Some(one | two),
        BinaryOperator::LogicalAnd => Some(i64::from(one != 0 && two != 0)),
        BinaryOperator::LogicalOr => Some(i64::from(one != 0 || two != 0)),
    }
}
