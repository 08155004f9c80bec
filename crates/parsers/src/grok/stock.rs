//! The patterns that there are without being defined. The names are those that everybody uses; the
//! expressions do without looking around and are bounded by words instead.

/// The stock patterns by name, in the order of their names, with their expressions.
pub fn stock_patterns() -> impl Iterator<Item = (&'static str, &'static str)> {
    PATTERNS.iter().copied()
}

/// The expression of a stock pattern.
pub(crate) fn find(name: &str) -> Option<&'static str> {
    let at = PATTERNS
        .binary_search_by(|(own, _)| (*own).cmp(name))
        .ok()?;
    PATTERNS.get(at).map(|(_, pattern)| *pattern)
}

/// In the order of their names.
const PATTERNS: &[(&str, &str)] = &[
    ("BASE10NUM", r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"),
    (
        "BASE16FLOAT",
        r"[+-]?(?:0x)?(?:[0-9A-Fa-f]+(?:\.[0-9A-Fa-f]*)?|\.[0-9A-Fa-f]+)",
    ),
    ("BASE16NUM", r"[+-]?(?:0x)?[0-9A-Fa-f]+"),
    ("CISCOMAC", r"(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}"),
    (
        "COMBINEDAPACHELOG",
        r"%{COMMONAPACHELOG} %{QS:referrer} %{QS:agent}",
    ),
    (
        "COMMONAPACHELOG",
        r#"%{IPORHOST:clientip} %{HTTPDUSER:ident} %{HTTPDUSER:auth} \[%{HTTPDATE:timestamp}\] "(?:%{WORD:verb} %{NOTSPACE:request}(?: HTTP/%{NUMBER:httpversion})?|%{DATA:rawrequest})" (?:-|%{NUMBER:response}) (?:-|%{NUMBER:bytes})"#,
    ),
    ("COMMONMAC", r"(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}"),
    (
        "CRONLOG",
        r"%{SYSLOGBASE} \(%{USER:user}\) %{CRON_ACTION:action} \(%{DATA:message}\)",
    ),
    ("CRON_ACTION", r"[A-Z ]+"),
    ("DATA", r".*?"),
    ("DATE", r"%{DATE_US}|%{DATE_EU}"),
    ("DATESTAMP", r"%{DATE}[- ]%{TIME}"),
    (
        "DATESTAMP_EVENTLOG",
        r"%{YEAR}%{MONTHNUM2}%{MONTHDAY}%{HOUR}%{MINUTE}%{SECOND}",
    ),
    (
        "DATESTAMP_OTHER",
        r"%{DAY} %{MONTH} +%{MONTHDAY} %{TIME} %{TZ} %{YEAR}",
    ),
    (
        "DATESTAMP_RFC2822",
        r"%{DAY}, %{MONTHDAY} %{MONTH} %{YEAR} %{TIME} %{ISO8601_TIMEZONE}",
    ),
    (
        "DATESTAMP_RFC822",
        r"%{DAY} %{MONTH} %{MONTHDAY} %{YEAR} %{TIME} %{TZ}",
    ),
    ("DATE_EU", r"%{MONTHDAY}[./-]%{MONTHNUM}[./-]%{YEAR}"),
    ("DATE_US", r"%{MONTHNUM}[/-]%{MONTHDAY}[/-]%{YEAR}"),
    (
        "DAY",
        r"\b(?:Mon(?:day)?|Tue(?:sday)?|Wed(?:nesday)?|Thu(?:rsday)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?)\b",
    ),
    ("EMAILADDRESS", r"%{EMAILLOCALPART}@%{HOSTNAME}"),
    (
        "EMAILLOCALPART",
        r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*",
    ),
    ("GREEDYDATA", r".*"),
    (
        "HOSTNAME",
        r"\b[0-9A-Za-z_][0-9A-Za-z_-]*(?:\.[0-9A-Za-z_][0-9A-Za-z_-]*)*\.?",
    ),
    ("HOSTPORT", r"%{IPORHOST}:%{POSINT}"),
    ("HOUR", r"2[0-3]|[01]?[0-9]"),
    ("HTTPDATE", r"%{MONTHDAY}/%{MONTH}/%{YEAR}:%{TIME} %{INT}"),
    (
        "HTTPDERROR_DATE",
        r"%{DAY} %{MONTH} +%{MONTHDAY} %{TIME} %{YEAR}",
    ),
    ("HTTPDUSER", r"%{EMAILADDRESS}|%{USER}"),
    ("HTTPD_COMBINEDLOG", r"%{COMBINEDAPACHELOG}"),
    ("HTTPD_COMMONLOG", r"%{COMMONAPACHELOG}"),
    ("INT", r"[+-]?[0-9]+"),
    ("IP", r"%{IPV6}|%{IPV4}"),
    ("IPORHOST", r"%{IP}|%{HOSTNAME}"),
    (
        "IPV4",
        r"\b(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\b",
    ),
    (
        "IPV6",
        r"(?:(?:%{IPV6_PART}:){7}(?:%{IPV6_PART}|:)|(?:%{IPV6_PART}:){6}(?:%{IPV4}|:%{IPV6_PART}|:)|(?:%{IPV6_PART}:){5}(?::%{IPV4}|(?::%{IPV6_PART}){1,2}|:)|(?:%{IPV6_PART}:){4}(?:(?::%{IPV6_PART})?:%{IPV4}|(?::%{IPV6_PART}){1,3}|:)|(?:%{IPV6_PART}:){3}(?:(?::%{IPV6_PART}){0,2}:%{IPV4}|(?::%{IPV6_PART}){1,4}|:)|(?:%{IPV6_PART}:){2}(?:(?::%{IPV6_PART}){0,3}:%{IPV4}|(?::%{IPV6_PART}){1,5}|:)|%{IPV6_PART}:(?:(?::%{IPV6_PART}){0,4}:%{IPV4}|(?::%{IPV6_PART}){1,6}|:)|:(?:(?::%{IPV6_PART}){0,5}:%{IPV4}|(?::%{IPV6_PART}){1,7}|:))(?:%[0-9A-Za-z]+)?",
    ),
    ("IPV6_PART", r"[0-9A-Fa-f]{1,4}"),
    ("ISO8601_SECOND", r"%{SECOND}"),
    ("ISO8601_TIMEZONE", r"Z|[+-]%{HOUR}:?%{MINUTE}"),
    (
        "JAVACLASS",
        r"(?:[A-Za-z$_][A-Za-z0-9$_]*\.)*[A-Za-z$_][A-Za-z0-9$_]*",
    ),
    ("JAVAFILE", r"[A-Za-z0-9$_. -]+"),
    ("JAVAMETHOD", r"<init>|<clinit>|[A-Za-z$_][A-Za-z0-9$_]*"),
    (
        "JAVASTACKTRACEPART",
        r"\s*at %{JAVACLASS:class}\.%{JAVAMETHOD:method}\(%{JAVAFILE:file}(?::%{INT:line})?\)",
    ),
    (
        "LOGLEVEL",
        r"(?i:\b(?:alert|trace|debug|notice|info(?:rmation)?|warn(?:ing)?|err(?:or)?|crit(?:ical)?|fatal|severe|emerg(?:ency)?|panic)\b)",
    ),
    ("MAC", r"%{CISCOMAC}|%{WINDOWSMAC}|%{COMMONMAC}"),
    ("MINUTE", r"[0-5][0-9]"),
    (
        "MONTH",
        r"\b(?:[Jj]an(?:uary)?|[Ff]eb(?:ruary)?|[Mm]ar(?:ch)?|[Aa]pr(?:il)?|[Mm]ay|[Jj]une?|[Jj]uly?|[Aa]ug(?:ust)?|[Ss]ep(?:t(?:ember)?)?|[Oo]ct(?:ober)?|[Nn]ov(?:ember)?|[Dd]ec(?:ember)?)\b",
    ),
    ("MONTHDAY", r"0[1-9]|[12][0-9]|3[01]|[1-9]"),
    ("MONTHNUM", r"1[0-2]|0?[1-9]"),
    ("MONTHNUM2", r"0[1-9]|1[0-2]"),
    ("NONNEGINT", r"\b[0-9]+\b"),
    ("NOTSPACE", r"\S+"),
    ("NUMBER", r"%{BASE10NUM}"),
    ("PATH", r"%{UNIXPATH}|%{WINPATH}"),
    ("POSINT", r"\b[1-9][0-9]*\b"),
    ("PROG", r"[!-Z\\^-~]+"),
    ("QS", r"%{QUOTEDSTRING}"),
    (
        "QUOTEDSTRING",
        r#""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`"#,
    ),
    ("SECOND", r"(?:[0-5]?[0-9]|60)(?:[:.,][0-9]+)?"),
    ("SPACE", r"\s*"),
    ("SYSLOG5424PRINTASCII", r"[!-~]+"),
    (
        "SYSLOGBASE",
        r"%{SYSLOGTIMESTAMP:timestamp} (?:%{SYSLOGFACILITY} )?%{SYSLOGHOST:logsource} %{SYSLOGPROG}:",
    ),
    (
        "SYSLOGFACILITY",
        r"<%{NONNEGINT:facility}\.%{NONNEGINT:priority}>",
    ),
    ("SYSLOGHOST", r"%{IPORHOST}"),
    ("SYSLOGLINE", r"%{SYSLOGBASE} %{GREEDYDATA:message}"),
    ("SYSLOGPROG", r"%{PROG:program}(?:\[%{POSINT:pid}\])?"),
    ("SYSLOGTIMESTAMP", r"%{MONTH} +%{MONTHDAY} %{TIME}"),
    ("TIME", r"\b(?:%{HOUR}):%{MINUTE}(?::%{SECOND})"),
    (
        "TIMESTAMP_ISO8601",
        r"%{YEAR}-%{MONTHNUM}-%{MONTHDAY}[T ]%{HOUR}:?%{MINUTE}(?::?%{SECOND})?%{ISO8601_TIMEZONE}?",
    ),
    ("TTY", r"/dev/(?:pts/[0-9]+|tty[0-9A-Za-z]*)"),
    (
        "TZ",
        r"[PMCEA][SD]T|UTC|GMT|CES?T|EES?T|WES?T|BST|IST|JST|AE[SD]T",
    ),
    ("UNIXPATH", r"(?:/(?:[\w%!$@:.,+~-]|\\.)*)+"),
    (
        "URI",
        r"%{URIPROTO}://(?:%{USER}(?::[^@\s]*)?@)?(?:%{URIHOST})?(?:%{URIPATHPARAM})?",
    ),
    ("URIHOST", r"%{IPORHOST}(?::%{POSINT})?"),
    ("URIPARAM", r"\?%{URIQUERY}"),
    ("URIPATH", r"(?:/[\w$.+!*'(){},~:;=@#%&-]*)+"),
    ("URIPATHPARAM", r"%{URIPATH}(?:%{URIPARAM})?"),
    ("URIPROTO", r"[A-Za-z][A-Za-z0-9+.-]*"),
    ("URIQUERY", r"[\w$.+!*'|(){},~@#%&/=:;?\[\]<>-]*"),
    ("URN", r"urn:[0-9A-Za-z][0-9A-Za-z-]*:[^\s?#]+"),
    ("USER", r"%{USERNAME}"),
    ("USERNAME", r"[A-Za-z0-9._-]+"),
    (
        "UUID",
        r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}",
    ),
    ("WINDOWSMAC", r"(?:[0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2}"),
    ("WINPATH", r#"(?:[A-Za-z]+:|\\)(?:\\[^\\/?*"<>|]*)+"#),
    ("WORD", r"\b\w+\b"),
    ("YEAR", r"[0-9]{4}|[0-9]{2}"),
];
