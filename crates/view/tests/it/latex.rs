use proptest::prelude::*;
use tau_view::latex::render;

#[test]
fn formulas_in_a_line_of_text() {
    let formulas = [
        (r"E=mc^2", "E = mc²"),
        (r"\sum_{i=1}^{n} x_i \le \infty", "∑ᵢ₌₁ⁿ xᵢ ≤ ∞"),
        (r"x=\frac{-b\pm\sqrt{b^2-4ac}}{2a}", "x = (-b±√(b²-4ac))/(2a)"),
        (r"\lim_{x\to 0} \sin x", "lim[x→0] sin x"),
        (r"e^{i\pi}+1=0", "e^(iπ)+1 = 0"),
        (r"f: \mathbb{R} \to \mathbb{R}^n", "f: ℝ → ℝⁿ"),
        (r"\text{if } x \not\in A", "if x ∉ A"),
        (r"\left\{ a, b \right\}", "{ a, b }"),
        (r"\hat{x} + \vec{ab}", "x̂ + vec(ab)"),
    ];
    let rendered: Vec<(&str, Option<String>)> =
        formulas.iter().map(|(source, _)| (*source, render(source, false))).collect();
    assert_eq!(rendered, formulas.map(|(source, text)| (source, Some(text.to_owned()))));
}

#[test]
fn formulas_on_lines_of_their_own() {
    let source =
        r"f(x) = \sum_{n=0}^{\infty} \frac{x^n}{n!} = \begin{cases} 1 & x = 0 \\ e^x & \text{else} \end{cases}";
    insta::assert_snapshot!(render(source, true).unwrap_or_default(), @r"
            ∞  xⁿ   ⎧ 1 if x = 0
    f(x) =  ∑  ── = ⎨
           n=0 n!   ⎩ eˣ if else
    ");
    insta::assert_snapshot!(render(r"A = \begin{pmatrix} 1 & -2 \\ 30 & 4 \end{pmatrix}", true).unwrap_or_default(), @r"
    A = ⎛ 1  │ -2 ⎞
        ⎝ 30 │ 4  ⎠
    ");
}

#[test]
fn what_has_no_text_form_is_left_to_the_caller() {
    for source in [r"\unknown x", "{a", "a}", "a^", r"\frac{a}", r"\begin{pmatrix} a", &"{".repeat(100)] {
        assert_eq!(render(source, false), None, "{source}");
    }
}

proptest! {
    #[test]
    fn any_source_is_survived(source in r"[a-z\\{}^_&$ 0-9]{0,40}") {
        for display in [false, true] {
            if let Some(text) = render(&source, display) {
                prop_assert!(text.len() <= source.len() * 40 + 40);
            }
        }
    }
}
