//! Messages that are made up of ingredients, the same ones for the same seed and day.

use model::CivilTime;
use testkit::Random;

/// A message, what it is made of, and what stands behind its first ingredients.
#[derive(Debug)]
pub(super) struct Variation {
    pub(super) sent: String,
    pub(super) priority: Priority,
    pub(super) header: Header,
    pub(super) text: Text,
    pub(super) behind_priority: String,
    pub(super) behind_stamp: String,
    pub(super) this_year: i16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Priority {
    Valid,
    Missing,
    /// From 192 on.
    TooLarge(u64),
}

/// What the header is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Header {
    Bsd {
        stamp: Stamp,
        host: Host,
        tag: Tag,
    },
    Ietf {
        stamp: Stamp,
        host: Host,
        data: Data,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stamp {
    None,
    /// `Nov  1 22:14:15`
    Padded,
    /// `Nov 1 22:14:15`
    Unpadded,
    /// `Nov 01 22:14:15`
    TwoDigits,
    /// `Nov  1 22:14:15.123`
    BsdFraction,
    /// `Feb 12 2024 22:14:15`
    YearBehindDay,
    /// `Feb 12 22:14:15 2024`
    YearBehindTime,
    /// `2024 Feb 12 22:14:15`
    YearInFront,
    /// `2024-02-12T22:14:15Z`
    Zulu,
    /// `2024-02-12T22:14:15+02:00`
    Offset,
    /// `2024-02-12T22:14:15.123456+02:00`
    SixDigits,
    /// `2024-02-12T22:14:15.123456789+02:00`
    NineDigits,
    /// `2024-02-12T22:14:15`
    NoZone,
    /// `2024-02-12 22:14:15`
    SpaceForT,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Host {
    None,
    Name,
    WithDomain,
    Ipv4,
    Ipv6,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    None,
    /// `su:`
    Colon,
    /// `su[12]:`
    PidColon,
    /// `su[12]`
    Pid,
    /// `su`
    Bare,
    /// `postfix/smtpd[12]:`
    Path,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Data {
    None,
    One,
    Several,
    Escapes,
    /// An element without parameters.
    Bare,
    Letters,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Text {
    Empty,
    Words,
    Colons,
    Letters,
    /// With one more space in front.
    Indented,
    Quotes,
    ByteOrderMark,
}

const BSD_STAMPS: &[Stamp] = &[
    Stamp::None,
    Stamp::Padded,
    Stamp::Padded,
    Stamp::Unpadded,
    Stamp::TwoDigits,
    Stamp::TwoDigits,
    Stamp::BsdFraction,
    Stamp::YearBehindDay,
    Stamp::YearBehindTime,
    Stamp::YearInFront,
    Stamp::Zulu,
    Stamp::Offset,
    Stamp::SixDigits,
    Stamp::NineDigits,
    Stamp::NoZone,
    Stamp::SpaceForT,
];

const IETF_STAMPS: &[Stamp] = &[
    Stamp::None,
    Stamp::Zulu,
    Stamp::Offset,
    Stamp::SixDigits,
    Stamp::NineDigits,
    Stamp::NoZone,
];

const HOSTS: &[Host] = &[
    Host::None,
    Host::Name,
    Host::Name,
    Host::WithDomain,
    Host::Ipv4,
    Host::Ipv6,
];

const TAGS: &[Tag] = &[
    Tag::None,
    Tag::Colon,
    Tag::PidColon,
    Tag::PidColon,
    Tag::Pid,
    Tag::Bare,
    Tag::Path,
];

const DATA: &[Data] = &[
    Data::None,
    Data::One,
    Data::Several,
    Data::Escapes,
    Data::Bare,
    Data::Letters,
];

const TEXTS: &[Text] = &[
    Text::Empty,
    Text::Words,
    Text::Words,
    Text::Colons,
    Text::Letters,
    Text::Indented,
    Text::Quotes,
    Text::ByteOrderMark,
];

impl Variation {
    /// Stamps without a year are of this month up to today, as all receivers take those to be of
    /// this year.
    pub(super) fn new(random: &mut Random, today: CivilTime) -> Self {
        let mut text = *random.pick(TEXTS);
        let is_ietf = random.below(3) == 0;
        let host = *random.pick(HOSTS);
        let header = if is_ietf {
            let stamp = *random.pick(IETF_STAMPS);
            let data = *random.pick(DATA);
            Header::Ietf { stamp, host, data }
        } else {
            let stamp = *random.pick(BSD_STAMPS);
            let tag = *random.pick(TAGS);
            // Nobody sends a header of RFC 3164 without TAG and nothing behind it.
            if matches!(tag, Tag::None | Tag::Bare) && text == Text::Empty {
                text = Text::Words;
            }
            Header::Bsd { stamp, host, tag }
        };
        let priority = match random.below(8) {
            // Digits and a space in front of a line are an octet count.
            0 if !header.starts_with_number() => Priority::Missing,
            1 => Priority::TooLarge(192 + random.below(808)),
            _ => Priority::Valid,
        };
        let stamp = header.stamp().text(random, today);
        let (behind_stamp, behind_priority) = match header {
            Header::Bsd { host, tag, .. } => {
                let behind = joined(&[&host.text(random), &tag.text(random), text.text()]);
                let all = joined(&[&stamp, &behind]);
                (behind, all)
            }
            Header::Ietf { host, data, .. } => {
                let words = [
                    nil(stamp),
                    nil(host.text(random)),
                    (*random.pick(&["su", "postfix/smtpd", "-"])).to_owned(),
                    (*random.pick(&["12", "a.b-3", "-"])).to_owned(),
                    (*random.pick(&["ID47", "-"])).to_owned(),
                    data.text().to_owned(),
                    text.text().to_owned(),
                ];
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                (joined(&words[1..]), format!("1 {}", joined(&words)))
            }
        };
        let number = match priority {
            Priority::Valid => format!("<{}>", random.below(192)),
            Priority::Missing => String::new(),
            Priority::TooLarge(number) => format!("<{number}>"),
        };
        Self {
            sent: number + &behind_priority,
            priority,
            header,
            text,
            behind_priority,
            behind_stamp,
            this_year: today.year,
        }
    }
}

impl Header {
    pub(super) fn stamp(self) -> Stamp {
        match self {
            Self::Bsd { stamp, .. } | Self::Ietf { stamp, .. } => stamp,
        }
    }

    pub(super) fn host(self) -> Host {
        match self {
            Self::Bsd { host, .. } | Self::Ietf { host, .. } => host,
        }
    }

    fn starts_with_number(self) -> bool {
        matches!(self, Self::Ietf { .. }) || self.stamp() == Stamp::YearInFront
    }
}

impl Stamp {
    fn text(self, random: &mut Random, today: CivilTime) -> String {
        const MONTHS: [&str; 12] = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ];
        let clock = [24, 60, 60].map(|end| format!("{:02}", random.below(end)));
        let clock = clock.join(":");
        let now = MONTHS[usize::from(today.month) - 1];
        let day = 1 + random.below(u64::from(today.day));
        let early = 1 + random.below(u64::from(today.day.min(9)));
        let (year, month) = (2_001 + random.below(25), 1 + random.below(12));
        let name = random.pick(&MONTHS);
        let any = 1 + random.below(28);
        let date = format!("{year}-{month:02}-{any:02}");
        let offset = random.pick(&["+02:00", "-05:30", "+00:00"]);
        let fraction = format!("{:09}", random.below(1_000_000_000));
        match self {
            Self::None => String::new(),
            Self::Padded => format!("{now} {early:>2} {clock}"),
            Self::Unpadded => format!("{now} {early} {clock}"),
            Self::TwoDigits => format!("{now} {day:02} {clock}"),
            Self::BsdFraction => format!("{now} {day:>2} {clock}.{}", &fraction[..3]),
            Self::YearBehindDay => format!("{name} {any:>2} {year} {clock}"),
            Self::YearBehindTime => format!("{name} {any:>2} {clock} {year}"),
            Self::YearInFront => format!("{year} {name} {any:>2} {clock}"),
            Self::Zulu => format!("{date}T{clock}Z"),
            Self::Offset => format!("{date}T{clock}{offset}"),
            Self::SixDigits => format!("{date}T{clock}.{}{offset}", &fraction[..6]),
            Self::NineDigits => format!("{date}T{clock}.{fraction}{offset}"),
            Self::NoZone => format!("{date}T{clock}"),
            Self::SpaceForT => format!("{date} {clock}"),
        }
    }
}

impl Host {
    fn text(self, random: &mut Random) -> String {
        let names: &[&str] = match self {
            Self::None => &[""],
            Self::Name => &["h", "web-1", "DB_2"],
            Self::WithDomain => &["web-1.example.com", "a.b.c"],
            Self::Ipv4 => &["10.0.0.1", "192.0.2.254"],
            Self::Ipv6 => &["::1", "2001:db8::a:1", "fe80::1%eth0", "::ffff:192.0.2.1"],
        };
        (*random.pick(names)).to_owned()
    }
}

impl Tag {
    fn text(self, random: &mut Random) -> String {
        let name = random.pick(&["su", "app-2", "%SYS-5-CONFIG_I", "(systemd)", "x_y.z"]);
        let word = random.pick(&["su", "app-2", "kernel"]);
        let pid = random.below(100_000);
        match self {
            Self::None => String::new(),
            Self::Colon => format!("{name}:"),
            Self::PidColon => format!("{name}[{pid}]:"),
            Self::Pid => format!("{name}[{pid}]"),
            Self::Bare => (*word).to_owned(),
            Self::Path => {
                let path = random.pick(&["postfix/smtpd", "/usr/sbin/cron"]);
                format!("{path}[{pid}]:")
            }
        }
    }
}

impl Data {
    fn text(self) -> &'static str {
        match self {
            Self::None => "-",
            Self::One => r#"[exampleSDID@32473 iut="3" eventID="1011"]"#,
            Self::Several => r#"[origin ip="192.0.2.1"][meta sequenceId="7" language="en"]"#,
            Self::Escapes => r#"[x@1 quote="a \"b\"" back="C:\\d" bracket="[a\] b" other="\n"]"#,
            Self::Bare => r#"[a][b c="d"][e]"#,
            Self::Letters => "[x@1 a=\"gr\u{fc}\u{df}e\" b=\"\"]",
        }
    }
}

impl Text {
    fn text(self) -> &'static str {
        match self {
            Self::Empty => "",
            Self::Words => "session opened for user root",
            Self::Colons => "state: up, since: 10:15",
            Self::Letters => "gr\u{fc}\u{df}e an J\u{fc}rgen \u{2713}",
            Self::Indented => " indented text",
            Self::Quotes => r#""a" [b] {c} <d>"#,
            Self::ByteOrderMark => "\u{feff}marked text",
        }
    }
}

fn nil(word: String) -> String {
    if word.is_empty() {
        "-".to_owned()
    } else {
        word
    }
}

/// Those that are there, with spaces between.
fn joined(words: &[&str]) -> String {
    let there = words.iter().filter(|word| !word.is_empty());
    there.copied().collect::<Vec<_>>().join(" ")
}
