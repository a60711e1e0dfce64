//! What the macro refuses: every refusal on its token, several at once, and nothing refused twice.

#[test]
fn refusals_stand_at_their_tokens() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
