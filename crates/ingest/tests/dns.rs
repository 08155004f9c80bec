//! Names of senders by reverse DNS.

use ingest::Transport;
use syslog::HostRule;
use tokio::net::UdpSocket;

use crate::harness::{Server, eventually, listener, loopback};

#[tokio::test(flavor = "multi_thread")]
async fn a_sender_has_its_address_until_its_name_is_known() {
    let mut options = listener(Transport::Udp);
    options.resolves = true;
    options.parse.host = HostRule::Peer;
    let server = Server::start(vec![options]);
    let client = UdpSocket::bind(loopback()).await.expect("binds");
    let to = server.address("udp");
    let send = || client.try_send_to(b"<13>Oct 11 22:14:15 claimed p: m", to);
    client.writable().await.expect("is writable");
    send().expect("sends");
    server.stored("udp", 1).await;
    // Every system knows itself, by /etc/hosts.
    eventually("the name is known", || {
        // A full buffer has the next round send.
        _ = send();
        server
            .hosts("main")
            .last()
            .is_some_and(|host| host.starts_with("localhost"))
    })
    .await;
    for host in server.hosts("main") {
        assert!(
            host == "127.0.0.1" || host.starts_with("localhost"),
            "{host}"
        );
    }
}
