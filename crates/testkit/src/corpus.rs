//! Made-up logs that look like a small site's: the same for the same seed.

use model::{Priority, Timestamp};

use crate::random::Random;

const HOSTS: &[&str] = &[
    "web1",
    "web2",
    "db1",
    "mail",
    "fw1.example.com",
    "k8s-node-7",
];
const USERS: &[&str] = &[
    "root",
    "admin",
    "alice",
    "bob",
    "j.doe",
    "oracle",
    "test",
    "M\u{fc}ller",
];
const PATHS: &[&str] = &[
    "/",
    "/index.html",
    "/api/v1/items",
    "/login",
    "/static/app.js",
    "/a%20b",
];
const DOMAINS: &[&str] = &["example.com", "example.org", "caf\u{e9}.example.net"];
const UNITS: &[&str] = &[
    "nginx.service",
    "ssh.service",
    "logrotate.service",
    "cron.service",
];
const MONTHS: &[&str] = &[
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// One message, as a sender knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Facility and severity.
    pub priority: Priority,
    /// When the sender says it happened.
    pub time: Timestamp,
    /// Sender's host.
    pub host: String,
    /// Program.
    pub program: String,
    /// Process id; empty where the program sends none.
    pub pid: String,
    /// Free text, never empty, without line breaks.
    pub message: String,
}

impl Line {
    /// `<34>Oct 11 22:14:15 host program[pid]: message` (RFC 3164), without a line feed.
    pub fn rfc3164(&self) -> String {
        let at = self.time.to_civil();
        let month = MONTHS[usize::from(at.month) - 1];
        let pid = match self.pid.as_str() {
            "" => String::new(),
            pid => format!("[{pid}]"),
        };
        format!(
            "<{}>{month} {:>2} {:02}:{:02}:{:02} {} {}{pid}: {}",
            self.priority.number(),
            at.day,
            at.hour,
            at.minute,
            at.second,
            self.host,
            self.program,
            self.message,
        )
    }

    /// `<34>1 2026-... host program pid - - message` (RFC 5424), without a line feed.
    pub fn rfc5424(&self) -> String {
        let stamp = self.time.to_string();
        let pid = match self.pid.as_str() {
            "" => "-",
            pid => pid,
        };
        format!(
            "<{}>1 {}Z {} {} {pid} - - {}",
            self.priority.number(),
            // RFC 5424 section 6.2.3 allows six digits.
            &stamp[..26],
            self.host,
            self.program,
            self.message,
        )
    }
}

/// An endless sequence of lines.
#[derive(Clone, Debug)]
pub struct Corpus {
    random: Random,
    time: Timestamp,
}

impl Corpus {
    /// Lines that begin at a time.
    pub fn new(seed: u64, start: Timestamp) -> Self {
        Self {
            random: Random::new(seed),
            time: start,
        }
    }

    fn program(&mut self) -> (&'static str, u8, String) {
        match self.random.below(20) {
            0..=6 => ("nginx", 190, self.access()),
            7..=10 => ("sshd", 38, self.login()),
            11..=13 => ("kernel", 4, self.firewall()),
            14..=15 => ("postfix/smtpd", 22, self.mail()),
            16 => ("CRON", 78, self.cron()),
            17 => ("systemd", 30, self.unit()),
            18 => ("app", 131, self.json()),
            _ => ("app", 135, self.trace()),
        }
    }

    fn address(&mut self) -> String {
        let [a, b] = [self.random.below(4), self.random.below(250)];
        format!("10.{a}.0.{b}")
    }

    fn access(&mut self) -> String {
        let (address, path) = (self.address(), *self.random.pick(PATHS));
        let status = *self.random.pick(&[200, 200, 200, 304, 404, 500]);
        let bytes = self.random.below(3_000);
        format!("{address} - - \"GET {path} HTTP/1.1\" {status} {bytes} \"-\" \"curl/8.5.0\"")
    }

    fn login(&mut self) -> String {
        let (user, address) = (*self.random.pick(USERS), self.address());
        let port = 40_000 + self.random.below(500);
        match self.random.below(3) {
            0 => format!("Accepted publickey for {user} from {address} port {port} ssh2"),
            1 => format!("Failed password for invalid user {user} from {address} port {port} ssh2"),
            _ => format!("pam_unix(sshd:session): session opened for user {user}(uid=0)"),
        }
    }

    fn firewall(&mut self) -> String {
        let (from, to) = (self.address(), self.address());
        let port = self.random.pick(&[22, 80, 443, 3389]);
        format!("[UFW BLOCK] IN=eth0 OUT= SRC={from} DST={to} LEN=60 PROTO=TCP DPT={port} SYN")
    }

    fn mail(&mut self) -> String {
        let (user, domain) = (*self.random.pick(USERS), *self.random.pick(DOMAINS));
        let queue = self.random.below(1 << 20);
        format!("{queue:06X}: to=<{user}@{domain}>, relay=none, delay=0.5, status=deferred")
    }

    fn cron(&mut self) -> String {
        let user = *self.random.pick(USERS);
        format!("({user}) CMD (  cd / && run-parts --report /etc/cron.hourly)")
    }

    fn unit(&mut self) -> String {
        let unit = *self.random.pick(UNITS);
        let verb = *self.random.pick(&["Started", "Stopped", "Reloading"]);
        format!("{verb} {unit} - a unit.")
    }

    fn json(&mut self) -> String {
        let (user, id) = (*self.random.pick(USERS), self.random.below(900));
        format!(
            "{{\"level\":\"error\",\"user\":\"{user}\",\"request_id\":\"r-{id}\",\"ok\":false}}"
        )
    }

    fn trace(&mut self) -> String {
        let (id, micros) = (self.random.bits() & 0xfff, self.random.below(2_000));
        format!(
            "ERROR worker_{} trace={id:03x} took {micros}us, retrying",
            id % 8
        )
    }
}

impl Iterator for Corpus {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        let (program, priority, message) = self.program();
        let pid = match program {
            "kernel" => String::new(),
            _ => (300 + self.random.below(200)).to_string(),
        };
        // On average 100 lines a second, in whole milliseconds.
        let step = i64::try_from(self.random.below(20)).unwrap_or(0);
        self.time = self.time.plus_nanos(step * 1_000_000);
        Some(Line {
            priority: Priority::from_number(priority).unwrap_or(Priority::DEFAULT),
            time: self.time,
            host: (*self.random.pick(HOSTS)).to_owned(),
            program: program.to_owned(),
            pid,
            message,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_log() {
        let start = Timestamp::from_seconds(1_795_300_000);
        let log = |seed| Corpus::new(seed, start).take(100).collect::<Vec<_>>();
        assert_eq!(log(1), log(1));
        assert_ne!(log(1), log(2));
        assert!(log(1).iter().all(|line| !line.message.contains('\n')));
    }

    #[test]
    fn lines_are_written_by_the_standards() {
        let line = Line {
            priority: Priority::from_number(34).unwrap(),
            time: Timestamp::parse_rfc3339(b"2026-11-01T02:03:04.5Z").unwrap(),
            host: "h".into(),
            program: "su".into(),
            pid: "7".into(),
            message: "m".into(),
        };
        assert_eq!(line.rfc3164(), "<34>Nov  1 02:03:04 h su[7]: m");
        let stamp = "2026-11-01T02:03:04.500000Z";
        assert_eq!(line.rfc5424(), format!("<34>1 {stamp} h su 7 - - m"));
        let bare = Line {
            pid: String::new(),
            ..line
        };
        assert_eq!(bare.rfc3164(), "<34>Nov  1 02:03:04 h su: m");
        assert_eq!(bare.rfc5424(), format!("<34>1 {stamp} h su - - - m"));
    }
}
