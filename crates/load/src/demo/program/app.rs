//! Applications: a shop's back end that logs JSON, the kubelet, containerd, Windows events.

use syslog::write::sd_element;

use crate::demo::cast::{USERS, inside_address};
use crate::demo::scene::{
    AUTHPRIV, CRIT, DAEMON, DEBUG, ERR, INFO, LOCAL0, NOTICE, Scene, Voice, WARNING,
};

/// One object a line. Values need no escapes.
pub(crate) fn orders(scene: &mut Scene<'_>) {
    let (trace, span) = (scene.random.hex(32), scene.random.hex(16));
    let (user, order) = (
        scene.random.range(1_000, 60_000),
        scene.random.range(100_000, 999_999),
    );
    let took = scene.random.exponential(35.0);
    let (severity, level, logger, rest) = match scene.random.below(20) {
        0 => (
            WARNING,
            "warn",
            "payments",
            format!(
                "\"order\":\"ORD-{order}\",\"attempt\":2,\"msg\":\"payment provider slow, retrying\""
            ),
        ),
        1 => (
            ERR,
            "error",
            "payments",
            format!(
                "\"order\":\"ORD-{order}\",\"code\":\"card_declined\",\"msg\":\"payment failed\""
            ),
        ),
        2..=4 => (
            DEBUG,
            "debug",
            "stock",
            format!(
                "\"product\":{},\"left\":{},\"msg\":\"stock reserved\"",
                user % 9_000,
                order % 300
            ),
        ),
        5..=9 => (
            INFO,
            "info",
            "checkout",
            format!(
                "\"order\":\"ORD-{order}\",\"total\":\"{}.{:02}\",\"currency\":\"EUR\",\"msg\":\"order placed\"",
                order % 400,
                order % 100
            ),
        ),
        _ => (
            INFO,
            "info",
            "http",
            format!(
                "\"method\":\"GET\",\"path\":\"/api/v2/products/{}\",\"status\":200,\"msg\":\"request\"",
                user % 9_000
            ),
        ),
    };
    let voice = app_voice(scene, "orders-api");
    scene.say(
        voice,
        severity,
        format!(
            "{{\"level\":\"{level}\",\"logger\":\"{logger}\",\"trace_id\":\"{trace}\",\"span_id\":\
             \"{span}\",\"user_id\":{user},\"duration_ms\":{took:.2},{rest}}}"
        ),
    );
    add_sequence(scene);
}

/// The database behind is gone.
pub(crate) fn orders_without_database(scene: &mut Scene<'_>) {
    let voice = app_voice(scene, "orders-api");
    let (trace, attempt) = (scene.random.hex(32), scene.random.range(1, 5));
    let (severity, level) = if attempt == 5 {
        (CRIT, "fatal")
    } else {
        (ERR, "error")
    };
    let database = scene.random.range(1, 3);
    scene.say(
        voice,
        severity,
        format!(
            "{{\"level\":\"{level}\",\"logger\":\"db\",\"trace_id\":\"{trace}\",\"attempt\":\
             {attempt},\"peer\":\"db-0{database}:5432\",\"error\":\"connection pool exhausted: \
             timed out after 5000 ms\",\"msg\":\"cannot reach database\"}}"
        ),
    );
    add_sequence(scene);
}

fn app_voice(scene: &Scene<'_>, program: &'static str) -> Voice {
    Voice {
        msgid: "app",
        ..scene.daemon(program, LOCAL0)
    }
}

/// What rsyslog and syslog-ng add when they forward.
fn add_sequence(scene: &mut Scene<'_>) {
    let number = scene.random.range(1, 2_000_000).to_string();
    let mut data = Vec::new();
    let parameters: [(&[u8], &[u8]); 1] = [(b"sequenceId", number.as_bytes())];
    sd_element(b"meta", parameters, &mut data);
    scene.with_data(String::from_utf8_lossy(&data).into_owned());
}

pub(crate) fn kubelet(scene: &mut Scene<'_>) {
    let voice = scene.daemon("kubelet", DAEMON);
    let (pod, at) = (pod(scene), scene.random.below(1_000_000));
    let uid = scene.random.hex(32);
    let today = scene.now.to_civil();
    let date = format!("{:02}{:02}", today.month, today.day);
    match scene.random.below(5) {
        0 => scene.say(
            voice,
            ERR,
            format!(
                "E{date} prober.go:104] \"Probe errored\" err=\"Get \\\"http://10.42.0.{}:8080/healthz\\\": \
                 context deadline exceeded\" probeType=\"Readiness\" pod=\"shop/{pod}\"",
                at % 250
            ),
        ),
        1 => scene.say(
            voice,
            WARNING,
            format!(
                "W{date} eviction_manager.go:376] \"Eviction manager: attempting to reclaim\" \
                 resourceName=\"ephemeral-storage\" free={at}Ki"
            ),
        ),
        _ => scene.say(
            voice,
            INFO,
            format!(
                "I{date} kubelet.go:2425] \"SyncLoop (PLEG): event for pod\" pod=\"shop/{pod}\" \
                 event={{\"ID\":\"{uid}\",\"Type\":\"ContainerStarted\"}}"
            ),
        ),
    }
}

pub(crate) fn containerd(scene: &mut Scene<'_>) {
    let voice = scene.daemon("containerd", DAEMON);
    let (id, pod) = (scene.random.hex(64), pod(scene));
    let level = if scene.random.once_in(15) {
        "warning"
    } else {
        "info"
    };
    let severity = if level == "info" { INFO } else { WARNING };
    scene.say(
        voice,
        severity,
        format!(
            "time=\"{}\" level={level} msg=\"StartContainer for \\\"{id}\\\" returns successfully\" \
             pod={pod}",
            scene.now
        ),
    );
}

fn pod(scene: &mut Scene<'_>) -> String {
    let app = scene
        .random
        .pick(&["cart", "search", "prices", "recommend", "invoice"]);
    let build = scene.random.skewed(20);
    format!("{app}-{:x}-{}", 0x5f6d_9000 + build, scene.random.hex(5))
}

/// Logons, as an agent forwards them from the event log.
pub(crate) fn windows(scene: &mut Scene<'_>) {
    let voice = scene.daemon("Microsoft-Windows-Security-Auditing", AUTHPRIV);
    let (user, address) = (scene.random.pick(&USERS), inside_address(scene.random));
    let (event, severity, what) = match scene.random.below(8) {
        0 => ("4625", WARNING, "An account failed to log on."),
        1 => ("4740", NOTICE, "A user account was locked out."),
        2 | 3 => ("4634", INFO, "An account was logged off."),
        4 => ("4672", INFO, "Special privileges assigned to new logon."),
        _ => ("4624", INFO, "An account was successfully logged on."),
    };
    scene.say(
        voice,
        severity,
        format!(
            "{what} Account Name: {user} Account Domain: CORP Source Network Address: {address}"
        ),
    );
    let mut data = Vec::new();
    let parameters: [(&[u8], &[u8]); 4] = [
        (b"EventID", event.as_bytes()),
        (b"Channel", b"Security"),
        (b"TargetUserName", user.as_bytes()),
        (b"IpAddress", address.as_bytes()),
    ];
    sd_element(b"event@32473", parameters, &mut data);
    scene.with_data(String::from_utf8_lossy(&data).into_owned());
}
