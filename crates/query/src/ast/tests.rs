use super::*;

fn number(text: &str, expected: Option<Number>) {
    assert_eq!(Number::parse(text.as_bytes()), expected, "{text}");
}

#[test]
fn numbers_are_read_and_nothing_else() {
    number("42", Some(Number::Integer(42)));
    number(" -1\t", Some(Number::Integer(-1)));
    number("+3", Some(Number::Integer(3)));
    number("9223372036854775807", Some(Number::Integer(i64::MAX)));
    number(
        "9223372036854775808",
        Some(Number::Decimal(9_223_372_036_854_775_808.0)),
    );
    number("2.50", Some(Number::Decimal(2.5)));
    number("1e3", Some(Number::Decimal(1000.0)));
    for text in [
        "", " ", "-", ".", "e", "1e999", "inf", "nan", "0x10", "10ms", "1 2", "1,5",
    ] {
        number(text, None);
    }
}

#[test]
fn whole_numbers_compare_exactly() {
    let big = Number::Integer(i64::MAX);
    let less = Number::Integer(i64::MAX - 1);
    assert!(less.compare(big).is_lt());
    assert!(Number::Integer(2).compare(Number::Decimal(2.5)).is_lt());
    assert!(Number::Decimal(2.0).compare(Number::Integer(2)).is_eq());
    assert!(Number::Decimal(-0.0).compare(Number::Decimal(0.0)).is_eq());
    assert!(Number::Integer(-2).compare(Number::Decimal(-2.5)).is_gt());
    let end = Number::Decimal(9_223_372_036_854_775_808.0);
    assert!(big.compare(end).is_lt() && end.compare(big).is_gt());
    let start = Number::Decimal(-9_223_372_036_854_775_808.0);
    assert!(Number::Integer(i64::MIN).compare(start).is_eq());
    assert!(Number::Integer(2).order(Number::Decimal(2.0)).is_lt());
}

#[test]
fn a_network_holds_texts_that_are_its_addresses_and_nothing_else() {
    let network = Network::parse("172.31.254.0/24").expect("a network");
    for (text, holds) in [
        ("172.31.254.0", true),
        ("172.31.254.255", true),
        ("::ffff:172.31.254.7", true),
        ("172.31.253.255", false),
        ("172.31.254.7:443", false),
        (" 172.31.254.7", false),
        ("172.31.254.07", false),
        ("", false),
    ] {
        assert_eq!(network.contains_text(text.as_bytes()), holds, "{text}");
    }
    for text in ["172.31.254.7", "172.31.254.0/33", "a/8", "/8", "10.0.0.0/"] {
        assert_eq!(Network::parse(text), None, "{text}");
    }
}

#[test]
fn networks_hold_their_addresses() {
    let network = |address: &str, len| Network::new(address.parse().expect("an address"), len);
    let holds = |network: Option<Network>, address: &str| {
        network.is_some_and(|network| network.contains(address.parse().expect("an address")))
    };
    let ten = network("10.1.2.3", 8);
    assert_eq!(
        ten.map(|network| network.to_string()).as_deref(),
        Some("10.0.0.0/8")
    );
    assert!(holds(ten, "10.255.0.1") && !holds(ten, "11.0.0.0") && !holds(ten, "a00::"));
    let all = network("1.2.3.4", 0);
    assert!(holds(all, "255.255.255.255") && !holds(all, "::1"));
    let local = network("fe80::1", 10);
    assert!(holds(local, "febf::") && !holds(local, "fec0::"));
    assert_eq!(network("10.0.0.0", 33), None);
    assert_eq!(network("::", 129), None);
    assert_eq!(
        network("::1", 128)
            .map(|network| network.to_string())
            .as_deref(),
        Some("::1")
    );
}

#[test]
fn patterns_are_joined_and_never_empty() {
    let literal = |text: &str| Piece::Literal(text.into());
    assert_eq!(Pattern::new([]), None);
    assert_eq!(Pattern::new([literal("")]), None);
    let pattern = Pattern::new([
        literal("A"),
        literal("b"),
        Piece::AnyRun,
        Piece::AnyRun,
        literal(""),
        Piece::AnyOne,
    ]);
    let folded = pattern.expect("it is not empty").folded();
    assert_eq!(
        folded.pieces(),
        [literal("ab"), Piece::AnyRun, Piece::AnyOne]
    );
}

#[test]
fn trees_are_in_their_simplest_form() {
    let a = || Query::phrase("a").root;
    let b = || Query::phrase("b").root;
    assert_eq!(Expr::and([]), Expr::All);
    assert_eq!(Expr::or([]), Expr::Nothing);
    assert_eq!(Expr::and([a(), Expr::All]), a());
    assert_eq!(Expr::and([a(), Expr::Nothing]), Expr::Nothing);
    assert_eq!(Expr::or([a(), Expr::All]), Expr::All);
    let both = Expr::And(vec![a(), b()]);
    assert_eq!(Expr::and([a(), Expr::and([b(), a()])]), both);
    assert_eq!(Expr::or([a(), Expr::or([a(), a()])]), a());
    assert_eq!(a().negated().negated(), a());
    assert_eq!(Expr::All.negated(), Expr::Nothing);
    assert_eq!(Query::phrase("").root, Expr::All);
    let tree = Expr::or([Expr::and([a(), b()]), a().negated()]);
    let mut count = 0;
    tree.visit_leaves(&mut |_| count += 1);
    assert_eq!(count, 3);
}
