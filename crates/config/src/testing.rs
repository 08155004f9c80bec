//! What the tests of several modules share.

use std::net::SocketAddr;

use expect_test::Expect;

use crate::build::Config;
use crate::check::check;
use crate::overrides::Overrides;

/// All problems of a text, as a terminal shows them.
#[expect(clippy::needless_pass_by_value, reason = "expect! makes a value")]
pub(crate) fn check_problems(text: &str, expected: Expect) {
    let checked = check(text, "logwood.toml", &Overrides::default());
    let shown: Vec<_> = checked.problems.iter().map(ToString::to_string).collect();
    expected.assert_eq(&shown.join("\n"));
    assert_eq!(checked.config.is_some(), checked.counts().0 == 0);
}

/// The configuration of a text that has no problem.
pub(crate) fn config(text: &str, overrides: &Overrides) -> Config {
    let checked = check(text, "logwood.toml", overrides);
    assert_eq!(checked.problems, []);
    checked.config.expect("no problems")
}

pub(crate) fn address(text: &str) -> SocketAddr {
    text.parse().expect("an address")
}
