//! Postfix and Dovecot: one message's way through the queue, logins to mailboxes.

use crate::demo::cast::{USERS, outside_address};
use crate::demo::scene::{INFO, MAIL, NOTICE, Scene, WARNING};

const DOMAINS: [&str; 8] = [
    "example.com",
    "example.org",
    "example.net",
    "mail.example.edu",
    "lists.example.org",
    "customer.test",
    "partner.test",
    "news.example.com",
];

/// A message comes in and is delivered.
pub(crate) fn postfix(scene: &mut Scene<'_>) {
    if scene.random.once_in(12) {
        return rejected(scene);
    }
    delivery(scene, false);
}

/// The next hop does not take mail.
pub(crate) fn postfix_deferred(scene: &mut Scene<'_>) {
    delivery(scene, true);
}

fn delivery(scene: &mut Scene<'_>, is_stuck: bool) {
    let id = scene.random.hex(10).to_uppercase();
    let smtpd = scene.process("postfix/smtpd", MAIL);
    let cleanup = scene.process("postfix/cleanup", MAIL);
    let smtp = scene.process("postfix/smtp", MAIL);
    let queue = scene.daemon("postfix/qmgr", MAIL);
    let (client, user) = (outside_address(scene.random), scene.random.pick(&USERS));
    let (from, to) = (scene.random.pick(&DOMAINS), scene.random.pick(&DOMAINS));
    let size = 900 + scene.random.skewed(2_000_000);
    let message = scene.random.hex(20);
    scene.say(smtpd, INFO, format!("{id}: client=relay.{from}[{client}]"));
    scene.later(
        40,
        cleanup,
        INFO,
        format!("{id}: message-id=<{message}@{from}>"),
    );
    scene.later(
        60,
        queue,
        INFO,
        format!("{id}: from=<{user}@{from}>, size={size}, nrcpt=1 (queue active)"),
    );
    let delay = 300 + scene.delay_ms(1_500);
    let seconds = delay as f64 / 1_000.0;
    if is_stuck {
        scene.later(
            delay,
            smtp,
            INFO,
            format!(
                "{id}: to=<{user}@{to}>, relay=none, delay={seconds:.1}, \
                 delays=0.05/0.01/30/0, dsn=4.4.1, status=deferred (connect to \
                 mx.{to}[{client}]:25: Connection timed out)"
            ),
        );
        scene.later(
            delay + 5,
            queue,
            WARNING,
            format!("warning: {id}: destination {to} is throttled, 1 recipient deferred"),
        );
        return;
    }
    let reply = scene.random.hex(9);
    scene.later(
        delay,
        smtp,
        INFO,
        format!(
            "{id}: to=<{user}@{to}>, relay=mx.{to}[{client}]:25, delay={seconds:.1}, \
             delays=0.06/0.01/0.12/0.31, dsn=2.0.0, status=sent (250 2.0.0 Ok: queued as {reply})"
        ),
    );
    scene.later(delay + 8, queue, INFO, format!("{id}: removed"));
}

fn rejected(scene: &mut Scene<'_>) {
    let smtpd = scene.process("postfix/smtpd", MAIL);
    let (client, domain) = (outside_address(scene.random), scene.random.pick(&DOMAINS));
    scene.say(
        smtpd,
        NOTICE,
        format!(
            "NOQUEUE: reject: RCPT from unknown[{client}]: 554 5.7.1 <offer@{domain}>: Relay access \
             denied; from=<offer@{domain}> to=<info@example.com> proto=ESMTP helo=<[{client}]>"
        ),
    );
}

pub(crate) fn dovecot(scene: &mut Scene<'_>) {
    let voice = scene.nameless("dovecot", MAIL);
    let (user, client) = (scene.random.pick(&USERS), outside_address(scene.random));
    let (pid, session) = (scene.random.range(9_000, 60_000), scene.random.hex(16));
    if scene.random.once_in(10) {
        scene.say(
            voice,
            WARNING,
            format!(
                "imap-login: Disconnected: Connection closed (auth failed, 1 attempts in 2 secs): \
                 user=<{user}@example.com>, method=PLAIN, rip={client}, lip=10.20.0.14, TLS, \
                 session=<{session}>"
            ),
        );
        return;
    }
    scene.say(
        voice,
        INFO,
        format!(
            "imap-login: Login: user=<{user}@example.com>, method=PLAIN, rip={client}, \
             lip=10.20.0.14, mpid={pid}, TLS, session=<{session}>"
        ),
    );
    let (sent, received) = (scene.random.skewed(900_000), scene.random.skewed(9_000));
    let end = 2_000 + scene.delay_ms(120_000);
    scene.later(
        end,
        voice,
        INFO,
        format!(
            "imap({user}@example.com)<{pid}><{session}>: Disconnected: Logged out in={received} \
             out={sent} deleted=0 expunged=0 trashed=0 hdr_count=0 hdr_bytes=0 body_count=3"
        ),
    );
}
