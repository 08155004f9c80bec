//! Databases: PostgreSQL and Redis.

use crate::demo::cast::{Role, address_of, draw_host_of};
use crate::demo::scene::{CRIT, DAEMON, DEBUG, ERR, INFO, LOCAL0, NOTICE, Scene, WARNING};

const STATEMENTS: [&str; 5] = [
    "SELECT id, status, total FROM orders WHERE customer_id = $1 ORDER BY created_at DESC LIMIT 50",
    "UPDATE stock SET quantity = quantity - $1 WHERE product_id = $2",
    "INSERT INTO events (kind, payload, created_at) VALUES ($1, $2, now())",
    "SELECT p.*, s.quantity FROM products p JOIN stock s ON s.product_id = p.id WHERE p.id = $1",
    "DELETE FROM sessions WHERE expires_at < now()",
];

pub(crate) fn postgres(scene: &mut Scene<'_>) {
    let voice = scene.process("postgres", LOCAL0);
    let (line, at) = (scene.random.below(90) + 1, scene.random.range(1, 200));
    let client = address_of(draw_host_of(Role::App, scene.random));
    match scene.random.below(12) {
        0..=4 => {
            let statement = scene.random.pick(&STATEMENTS);
            let took = 250.0 + scene.random.exponential(400.0);
            scene.say(
                voice,
                INFO,
                format!(
                    "[{line}-1] shop@orders LOG:  duration: {took:.3} ms  execute <unnamed>: {statement}"
                ),
            );
        }
        5 | 6 => {
            let (buffers, seconds) = (scene.random.range(20, 9_000), scene.seconds(9.0));
            scene.say(
                voice,
                INFO,
                format!(
                    "[{line}-1] LOG:  checkpoint complete: wrote {buffers} buffers ({:.1}%); 0 WAL \
                     file(s) added, 0 removed, 2 recycled; write={seconds} s, sync=0.011 s, \
                     total={seconds} s; sync files={}, longest=0.004 s, average=0.001 s",
                    buffers as f64 / 163.84,
                    line + 3
                ),
            );
        }
        7 | 8 => scene.say(
            voice,
            INFO,
            format!(
                "[{line}-1] [unknown]@[unknown] LOG:  connection received: host={client} port={}",
                30_000 + at * 7
            ),
        ),
        9 => postgres_duplicate(scene, line),
        10 => scene.say(
            voice,
            WARNING,
            format!(
                "[{line}-1] LOG:  automatic vacuum of table \"orders.public.sessions\": index \
                 scans: 1, pages: 0 removed, {} remain",
                at * 41
            ),
        ),
        _ => scene.say(
            voice,
            DEBUG,
            format!(
                "[{line}-1] DEBUG:  server process (PID {}) exited with exit code 0",
                at + 9_000
            ),
        ),
    }
}

/// An order that is already there, in two lines.
fn postgres_duplicate(scene: &mut Scene<'_>, line: u64) {
    let voice = scene.process("postgres", LOCAL0);
    let key = scene.random.range(10_000, 999_999);
    let what = "duplicate key value violates unique constraint \"orders_reference_key\"";
    scene.say(voice, ERR, format!("[{line}-1] shop@orders ERROR:  {what}"));
    let detail = format!("Key (reference)=(ORD-{key}) already exists.");
    scene.later(
        0,
        voice,
        ERR,
        format!("[{line}-2] shop@orders DETAIL:  {detail}"),
    );
}

/// No connection is left.
pub(crate) fn postgres_exhausted(scene: &mut Scene<'_>) {
    let voice = scene.process("postgres", LOCAL0);
    let line = scene.random.below(9) + 1;
    if scene.random.once_in(12) {
        scene.say(
            voice,
            CRIT,
            format!("[{line}-1] PANIC:  could not write to file \"pg_wal/xlogtemp.{}\": No space left on device", voice.pid),
        );
        return;
    }
    let body = scene.random.pick(&[
        "FATAL:  sorry, too many clients already",
        "FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute",
        "ERROR:  canceling statement due to lock timeout",
    ]);
    scene.say(voice, ERR, format!("[{line}-1] shop@orders {body}"));
}

pub(crate) fn redis(scene: &mut Scene<'_>) {
    let voice = scene.daemon("redis-server", DAEMON);
    let (changes, child) = (
        scene.random.range(10, 10_000),
        scene.random.range(20_000, 64_000),
    );
    scene.say(
        voice,
        NOTICE,
        format!("{changes} changes in 300 seconds. Saving..."),
    );
    scene.later(
        4,
        voice,
        NOTICE,
        format!("Background saving started by pid {child}"),
    );
    let end = 100 + scene.delay_ms(900);
    scene.later(
        end,
        voice,
        NOTICE,
        "Background saving terminated with success",
    );
}
