//! The front: nginx access and error lines, HAProxy's HTTP log.

use crate::demo::cast::{Role, address_of, draw_host_of, outside_address};
use crate::demo::scene::{ALERT, ERR, INFO, LOCAL0, LOCAL7, NOTICE, Scene, WARNING};

const AGENTS: [&str; 8] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
     Chrome/141.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) \
     Version/18.1 Safari/605.1.15",
    "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like \
     Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 15; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) \
     Chrome/141.0.0.0 Mobile Safari/537.36",
    "curl/8.10.1",
    "examplebot/2.1 (+https://bot.example.net/about)",
    "kube-probe/1.31",
];

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// An access line, now and then an error line.
pub(crate) fn nginx(scene: &mut Scene<'_>) {
    if scene.random.once_in(60) {
        return nginx_error(scene);
    }
    let status = scene.random.weighted(&[
        (820, 200),
        (50, 304),
        (35, 302),
        (50, 404),
        (12, 403),
        (10, 499),
        (5, 400),
        (6, 500),
    ]);
    access(scene, status.unwrap_or(200));
}

/// The application behind does not answer.
pub(crate) fn nginx_bad_gateway(scene: &mut Scene<'_>) {
    if scene.random.once_in(3) {
        return nginx_error(scene);
    }
    let status = scene.random.weighted(&[(5, 502), (3, 504), (2, 500)]);
    access(scene, status.unwrap_or(502));
}

fn access(scene: &mut Scene<'_>, status: u64) {
    let voice = scene.nameless("nginx", LOCAL7);
    let client = outside_address(scene.random);
    let request = request(scene, status);
    let agent = scene.random.pick(&AGENTS);
    let bytes = match status {
        304 => 0,
        200 => 180 + scene.random.skewed(400_000),
        _ => scene.random.range(120, 900),
    };
    let referer = if scene.random.once_in(3) {
        "https://shop.example.com/"
    } else {
        "-"
    };
    let took = scene.seconds(if status >= 502 { 20.0 } else { 0.08 });
    let at = scene.now.to_civil();
    let month = MONTHS
        .get(usize::from(at.month) - 1)
        .copied()
        .unwrap_or_default();
    let severity = match status {
        500.. => ERR,
        400.. => NOTICE,
        _ => INFO,
    };
    scene.say(
        voice,
        severity,
        format!(
            "{client} - - [{:02}/{month}/{}:{:02}:{:02}:{:02} +0000] \"{request}\" {status} \
             {bytes} \"{referer}\" \"{agent}\" rt={took}",
            at.day, at.year, at.hour, at.minute, at.second
        ),
    );
}

fn request(scene: &mut Scene<'_>, status: u64) -> String {
    let number = 1_000 + scene.random.skewed(90_000);
    if status == 404 || status == 403 {
        let path = scene.random.pick(&[
            "/wp-login.php",
            "/.env",
            "/favicon.ico",
            "/phpmyadmin/index.php",
            "/.git/config",
            "/robots.txt",
        ]);
        return format!("GET {path} HTTP/1.1");
    }
    match scene.random.below(10) {
        0..=2 => format!("GET /products/{number} HTTP/2.0"),
        3 => format!("GET /api/v2/cart/{} HTTP/2.0", scene.random.hex(12)),
        4 => "POST /api/v2/orders HTTP/2.0".to_owned(),
        5 => format!(
            "GET /search?q=item+{}&page={} HTTP/1.1",
            number % 97,
            number % 7 + 1
        ),
        6 => format!("GET /static/app.{}.js HTTP/2.0", scene.random.hex(8)),
        7 => format!("GET /images/{number}_640x480.webp HTTP/2.0"),
        8 => "GET / HTTP/2.0".to_owned(),
        _ => "GET /healthz HTTP/1.1".to_owned(),
    }
}

fn nginx_error(scene: &mut Scene<'_>) {
    let voice = scene.nameless("nginx", LOCAL7);
    let client = outside_address(scene.random);
    let upstream = address_of(draw_host_of(Role::App, scene.random));
    let (process, connection) = (
        scene.random.range(700, 730),
        scene.random.range(10_000, 9_999_999),
    );
    let request = request(scene, 502);
    let what = scene.random.pick(&[
        "connect() failed (111: Connection refused) while connecting to upstream",
        "upstream timed out (110: Connection timed out) while reading response header from upstream",
        "upstream prematurely closed connection while reading response header from upstream",
    ]);
    scene.say(
        voice,
        ERR,
        format!(
            "[error] {process}#{process}: *{connection} {what}, client: {client}, server: \
             shop.example.com, request: \"{request}\", upstream: \"http://{upstream}:8080/\", \
             host: \"shop.example.com\""
        ),
    );
}

pub(crate) fn haproxy(scene: &mut Scene<'_>) {
    let status = scene
        .random
        .weighted(&[(920, 200), (30, 304), (25, 404), (10, 503), (5, 500)]);
    haproxy_request(scene, status.unwrap_or(200));
}

/// Servers behind are marked down, and requests find none.
pub(crate) fn haproxy_trouble(scene: &mut Scene<'_>) {
    if !scene.random.once_in(8) {
        return haproxy_request(scene, 503);
    }
    let voice = scene.daemon("haproxy", LOCAL0);
    let server = draw_host_of(Role::App, scene.random).name;
    let took = scene.random.range(2_000, 2_010);
    scene.say(
        voice,
        ALERT,
        format!(
            "Server be_orders/{server} is DOWN, reason: Layer7 timeout, check duration: {took}ms. \
             2 active and 0 backup servers left. 14 sessions active, 0 requeued, 0 remaining in \
             queue."
        ),
    );
    let up = 20_000 + scene.delay_ms(60_000);
    scene.later(
        up,
        voice,
        NOTICE,
        format!(
            "Server be_orders/{server} is UP, reason: Layer7 check passed, code: 200, check \
             duration: 4ms. 3 active and 0 backup servers online."
        ),
    );
}

fn haproxy_request(scene: &mut Scene<'_>, status: u64) {
    let voice = scene.daemon("haproxy", LOCAL0);
    let (client, port) = (outside_address(scene.random), scene.port());
    let request = request(scene, status);
    let at = scene.now.to_civil();
    let month = MONTHS
        .get(usize::from(at.month) - 1)
        .copied()
        .unwrap_or_default();
    let (server, flags) = match status {
        503 => ("<NOSRV>".to_owned(), "SC--"),
        _ => (
            draw_host_of(Role::App, scene.random).name.to_owned(),
            "----",
        ),
    };
    let (wait, answer) = (scene.random.below(3), scene.delay_ms(60));
    let bytes = 200 + scene.random.skewed(200_000);
    let severity = if status >= 500 { WARNING } else { INFO };
    scene.say(
        voice,
        severity,
        format!(
            "{client}:{port} [{:02}/{month}/{}:{:02}:{:02}:{:02}.{:03}] fe_https~ \
             be_orders/{server} 0/0/{wait}/{answer}/{} {status} {bytes} - - {flags} \
             {}/{}/2/1/0 0/0 \"{request}\"",
            at.day,
            at.year,
            at.hour,
            at.minute,
            at.second,
            at.nanosecond / 1_000_000,
            answer + wait,
            120 + port % 90,
            100 + port % 90,
        ),
    );
}
