//! Code that waits.

use oxc::allocator::{Allocator, Box as ArenaBox, TakeIn};
use oxc::ast::ast::{
    Argument, AssignmentTarget, BindingPattern, BlockStatement, Expression, ForOfStatement, ForStatementLeft,
    IdentifierName, Statement, VariableDeclaration, VariableDeclarationKind, VariableDeclarator,
};
use oxc::ast::builder::AstBuilder;
use oxc::ast_visit::{VisitMut, walk_mut};
use oxc::span::SPAN;
use oxc::syntax::operator::AssignmentOperator;

/// The name of a tracked loop's values.
const LOOP: &str = "__tau_loop__";
/// The name of what a tracked loop gets in each turn.
const TURN: &str = "__tau_turn__";

/// Imports are evaluated without waiting, so asking for one does not wait. Other awaits may be tracked: the engine
/// tells nobody when code goes on behind one, so the code itself says in which asynchronous context it goes on.
pub(super) struct Awaits<'a> {
    pub(super) allocator: &'a Allocator,
    pub(super) builder: AstBuilder<'a>,
    pub(super) track: bool,
}

impl<'a> Awaits<'a> {
    fn call(&self, callee: Expression<'a>, argument: Expression<'a>) -> Expression<'a> {
        Expression::new_call_expression(SPAN, callee, None, [Argument::from(argument)], false, &self.builder)
    }

    fn name(&self, name: &'static str) -> Expression<'a> {
        Expression::new_identifier(SPAN, name, &self.builder)
    }

    fn member(&self, object: &'static str, property: &'static str) -> Expression<'a> {
        let property = IdentifierName::new(SPAN, property, &self.builder);
        Expression::new_static_member_expression(SPAN, self.name(object), property, false, &self.builder)
    }

    fn constant(&self, name: &'static str, value: Option<Expression<'a>>) -> ArenaBox<'a, VariableDeclaration<'a>> {
        let name = BindingPattern::new_binding_identifier(SPAN, name, &self.builder);
        let declarator = VariableDeclarator::new(SPAN, name, None, value, false, &self.builder);
        VariableDeclaration::boxed(SPAN, VariableDeclarationKind::Const, [declarator], false, &self.builder)
    }

    /// `for await (LEFT of RIGHT) BODY` becomes `for await (const turn of loop) { LEFT = resume(turn); BODY }`; gives
    /// RIGHT.
    fn track_turns(&self, statement: &mut ForOfStatement<'a>) -> Option<Expression<'a>> {
        let step = self.call(self.name("__tau_resume__"), self.name(TURN));
        let assign = match statement.left.take_in(&self.allocator) {
            ForStatementLeft::VariableDeclaration(mut declaration) => {
                declaration.declarations.first_mut()?.init = Some(step);
                Statement::VariableDeclaration(declaration)
            }
            left => {
                let target = AssignmentTarget::try_from(left).ok()?;
                let operator = AssignmentOperator::Assign;
                let assign = Expression::new_assignment_expression(SPAN, operator, target, step, &self.builder);
                Statement::new_expression_statement(SPAN, assign, &self.builder)
            }
        };
        let body = statement.body.take_in(&self.allocator);
        statement.body = Statement::new_block_statement(SPAN, [assign, body], &self.builder);
        statement.left = ForStatementLeft::VariableDeclaration(self.constant(TURN, None));
        let values = statement.right.take_in(&self.allocator);
        statement.right = self.name(LOOP);
        Some(values)
    }

    /// A whole loop with its labels, LOOP: `{ const loop = settle.loop(RIGHT); try { LOOP } finally { loop.leave() } }`.
    fn track_loop(&self, statement: &mut Statement<'a>) {
        let Some(waiting) = waiting_loop(statement) else { return };
        let Some(values) = self.track_turns(waiting) else { return };
        let values = self.call(self.member("__tau_settle__", "loop"), values);
        let declaration = Statement::VariableDeclaration(self.constant(LOOP, Some(values)));
        let leave = Expression::new_call_expression(SPAN, self.member(LOOP, "leave"), None, [], false, &self.builder);
        let leave = Statement::new_expression_statement(SPAN, leave, &self.builder);
        let tried = BlockStatement::boxed(SPAN, [statement.take_in(&self.allocator)], &self.builder);
        let last = BlockStatement::boxed(SPAN, [leave], &self.builder);
        let tried = Statement::new_try_statement(SPAN, tried, None, Some(last), &self.builder);
        *statement = Statement::new_block_statement(SPAN, [declaration, tried], &self.builder);
    }
}

/// The loop that waits for each of its values which a statement is, behind its labels.
fn waiting_loop<'b, 'a>(statement: &'b mut Statement<'a>) -> Option<&'b mut ForOfStatement<'a>> {
    match statement {
        Statement::LabeledStatement(labeled) => waiting_loop(&mut labeled.body),
        Statement::ForOfStatement(statement) => {
            let disposes = match &statement.left {
                ForStatementLeft::VariableDeclaration(declaration) => declaration.kind.is_using(),
                _ => false,
            };
            let tracked = match &statement.right {
                Expression::Identifier(name) => name.name == LOOP,
                _ => false,
            };
            (statement.r#await && !disposes && !tracked).then_some(statement)
        }
        _ => None,
    }
}

impl<'a> VisitMut<'a> for Awaits<'a> {
    fn visit_statement(&mut self, statement: &mut Statement<'a>) {
        if self.track {
            // Before the parts of a labeled loop are visited, which then is none any more.
            self.track_loop(statement);
        }
        walk_mut::walk_statement(self, statement);
    }

    fn visit_expression(&mut self, expression: &mut Expression<'a>) {
        if let Expression::AwaitExpression(waiting) = expression {
            if let Expression::CallExpression(call) = &waiting.argument
                && let Expression::Identifier(callee) = &call.callee
                && callee.name == "__vite_ssr_import__"
            {
                *expression = waiting.argument.take_in(&self.allocator);
                return;
            }
            if self.track {
                walk_mut::walk_expression(self, &mut waiting.argument);
                let argument = waiting.argument.take_in(&self.allocator);
                waiting.argument = self.call(self.name("__tau_settle__"), argument);
                let waiting = expression.take_in(&self.allocator);
                *expression = self.call(self.name("__tau_resume__"), waiting);
                return;
            }
        }
        walk_mut::walk_expression(self, expression);
    }
}
