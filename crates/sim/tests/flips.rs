//! A hundredth of all bit flips; `cargo xtask sim --flips` makes all of them.

#[test]
fn a_flipped_bit_is_found_or_changes_nothing() {
    let tally = match sim::flips::run(101, 7) {
        Ok(tally) => tally,
        Err(what) => panic!("{what}"),
    };
    assert!(tally.flips > 1_000 && tally.found > 100, "{tally}");
    assert_eq!(tally.flips, tally.found + tally.harmless + tally.torn);
}
