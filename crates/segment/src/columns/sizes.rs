//! Whether the choice of an encoding is right: made-up columns in every encoding that fits them,
//! compressed as pages are.

use super::*;

/// Numbers that look random; the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A number below `end`, small ones far more often.
    fn skewed(&mut self, end: u64) -> u64 {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        ((end as f64).powf(unit) as u64 - 1).min(end - 1)
    }
}

/// A value of a row.
type Make = fn(&mut Random, u64) -> String;

/// Columns by name.
const COLUMNS: [(&str, Make); 32] = [
    ("none or a number", |r, _| match r.below(3) {
        0 => String::from("-"),
        _ => r.below(5_000).to_string(),
    }),
    ("celsius", |r, _| (r.below(70) as i64 - 20).to_string()),
    ("host", |r, _| match r.below(10) {
        0 => format!("gw-{}.example.com", r.below(9)),
        1..=3 => format!("db{}.example.com", r.below(300)),
        _ => format!("web-{:03}.example.com", r.below(900)),
    }),
    ("counter", |r, row| {
        (70_000 + 3 * row + r.below(3)).to_string()
    }),
    ("process id", |r, _| (300 + r.below(32_000)).to_string()),
    ("few process ids", |r, _| {
        (300 + 71 * r.skewed(300)).to_string()
    }),
    ("port", |r, _| (32_768 + r.below(28_232)).to_string()),
    ("status", |r, _| {
        ["200", "404", "304", "500"][r.skewed(4) as usize].to_owned()
    }),
    ("size", |r, _| r.skewed(5_000_000).to_string()),
    ("milliseconds", |r, _| {
        format!("{}.{:03}", r.skewed(3_000), r.below(1_000))
    }),
    ("percent", |r, _| {
        format!("{}.{}%", r.below(100), r.below(10))
    }),
    ("some addresses", |r, _| address(r.skewed(3_000))),
    ("network", |r, _| {
        format!("10.1.{}.{}", r.below(16), r.below(256))
    }),
    ("all addresses", |r, _| address(r.next())),
    ("address and port", |r, _| {
        format!("{}:{}", address(r.skewed(500)), 1_024 + r.below(60_000))
    }),
    ("time", |r, row| clock(row / 20, r.below(1_000_000))),
    ("seconds since 1970", |_, row| {
        (1_760_000_000 + row / 20).to_string()
    }),
    ("user", |r, _| name(r.skewed(400))),
    ("many users", |r, _| name(r.skewed(200_000))),
    ("path", |r, _| path(r)),
    ("url", |r, _| {
        format!("{}?id={}&s={:x}", path(r), r.below(90_000), r.next())
    }),
    ("uuid", |r, _| uuid(r.next(), r.next())),
    ("uuid for three rows", |_, row| {
        uuid(mix(row / 3), mix(row / 3 + 1))
    }),
    ("uuid of some rows ago", |r, row| {
        let row = row.saturating_sub(r.below(40)) / 2;
        uuid(mix(row), mix(row + 1))
    }),
    ("trace id", |r, _| {
        format!("{:016x}{:016x}", r.next(), r.next())
    }),
    ("span id", |r, _| format!("{:016x}", r.next())),
    ("pointer", |r, _| {
        format!("0xffff88{:08x}00", r.skewed(1 << 32))
    }),
    ("request number", |_, row| {
        format!("req-{}", 1_000 + row / 4 * 7)
    }),
    ("request", |r, _| match r.below(20) {
        0..=7 => format!("GET /products/{} HTTP/1.1", r.below(20_000)),
        8..=13 => format!("GET /images/{}_640x480.webp HTTP/2.0", r.below(20_000)),
        14 | 15 => String::from("GET /healthz HTTP/1.1"),
        16 => format!("GET /static/app.{:08x}.js HTTP/1.1", r.below(1 << 32)),
        17 => format!("GET /api/v1/cart/{:012x} HTTP/1.1", r.below(1 << 48)),
        _ => format!("GET /{}.php HTTP/1.1", name(r.skewed(500))),
    }),
    ("request, mostly of few words", |r, _| match r.below(8) {
        0..=4 => format!("GET /{}.html HTTP/1.1", name(r.skewed(60))),
        _ => format!("GET /{}?page={} HTTP/1.1", name(r.skewed(5)), r.below(90)),
    }),
    ("path and line", |r, _| {
        format!("{}.c:{}", path(r), r.skewed(3_000))
    }),
    ("base64", |r, _| {
        (0..18)
            .map(|_| char::from(b'A' + r.below(50) as u8))
            .collect()
    }),
];

fn mix(seed: u64) -> u64 {
    Random(seed).next()
}

fn address(seed: u64) -> String {
    std::net::Ipv4Addr::from(mix(seed) as u32).to_string()
}

fn clock(second: u64, micros: u64) -> String {
    let (hour, minute) = (second / 3_600 % 24, second / 60 % 60);
    format!("{hour:02}:{minute:02}:{:02}.{micros:06}", second % 60)
}

fn name(seed: u64) -> String {
    const SYLLABLES: [&str; 8] = ["an", "bel", "cor", "dim", "el", "fra", "go", "hu"];
    let mut random = Random(seed);
    let len = 2 + random.below(3);
    (0..len)
        .map(|_| SYLLABLES[random.below(8) as usize])
        .collect()
}

fn path(random: &mut Random) -> String {
    let mut path = String::from("/var");
    for _ in 0..1 + random.below(4) {
        path += "/";
        path += &name(random.skewed(2_000));
    }
    path
}

fn uuid(high: u64, low: u64) -> String {
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 48 & 0x3fff | 0x8000,
        low & 0xffff_ffff_ffff,
    )
}

fn make(make: Make, rows: u64) -> Vec<String> {
    let mut random = Random(7);
    (0..rows).map(|row| make(&mut random, row)).collect()
}

/// Bytes of a page.
fn compressed(raw: &[u8]) -> usize {
    raw.chunks(64 * 1024)
        .map(|page| {
            zstd::bulk::compress(page, 1)
                .expect("memory")
                .len()
                .min(page.len())
        })
        .sum()
}

/// What values take in each encoding that fits them, with the name of the encoding.
fn all_sizes(values: &[&[u8]]) -> Vec<(&'static str, usize)> {
    let mut sizes = Vec::new();
    let mut add = |name, encode: &dyn Fn(&mut Vec<u8>)| {
        let mut out = Vec::new();
        encode(&mut out);
        sizes.push((name, compressed(&out)));
    };
    if let Some(numbers) = Numbers::read(values) {
        add("decimal", &|out| numbers.encode(out));
    }
    if let Some(digits) = Digits::read(values) {
        add("hexadecimal", &|out| digits.encode(out));
    }
    if let Some(dictionary) = Dictionary::read(values) {
        let entries = Plain::read_one_shape(&dictionary.entries).or_shapes(&dictionary.entries);
        add("dictionary", &|out| {
            entries.encode(&dictionary.entries, out);
            dictionary.encode_ids(out);
        });
    }
    if let Some(shapes) = Shapes::read(values) {
        add("shapes", &|out| shapes.encode(out));
    }
    add("text", &|out| {
        TextPlan::read(values).encode(values, (TEXT, LINES), out);
    });
    sizes
}

#[test]
fn what_is_chosen_is_about_the_best() {
    for rows in [16_384, 500] {
        for (name, values) in COLUMNS.map(|(name, value)| (name, make(value, rows))) {
            let values: Vec<&[u8]> = values.iter().map(String::as_bytes).collect();
            let mut out = Vec::new();
            encode(&values, &mut out);
            let chosen = compressed(&out);
            let sizes = all_sizes(&values);
            let best = sizes
                .iter()
                .map(|(_, size)| *size)
                .min()
                .unwrap_or_default();
            assert!(
                chosen <= best + best / 12 + 32,
                "{rows} values of {name}: {chosen} bytes, but {sizes:?}"
            );
        }
    }
}

/// Bytes a value, rounded up to hundredths, so that no change makes them grow unseen.
#[test]
fn what_varies_takes_what_it_must() {
    for (name, hundredths) in [
        ("counter", 30),
        ("port", 188),
        ("some addresses", 182),
        ("time", 257),
        ("user", 95),
        ("path", 625),
        ("uuid", 1_551),
        ("none or a number", 121),
        ("host", 145),
        ("request", 253),
    ] {
        let (_, value) = COLUMNS[COLUMNS
            .iter()
            .position(|column| column.0 == name)
            .expect("there")];
        let values = make(value, 16_384);
        let values: Vec<&[u8]> = values.iter().map(String::as_bytes).collect();
        let mut out = Vec::new();
        encode(&values, &mut out);
        let found = (compressed(&out) * 100).div_ceil(16_384);
        assert!(found <= hundredths, "{name}: {found}");
    }
}
