//! What each kind of host logs, and how often.

mod app;
mod data;
mod mail;
mod network;
mod remote;
mod system;
mod web;

use crate::demo::cast::Role;
use crate::demo::incident::Trouble;
use crate::demo::scene::Scene;

/// Makes something happen and adds its lines to the scene.
pub(crate) type Program = fn(&mut Scene<'_>);

/// The programs of a host and how often each is the one that logs.
pub(crate) fn programs_of(role: Role) -> &'static [(u64, Program)] {
    match role {
        Role::Web => &[
            (90, web::nginx),
            (4, system::kernel),
            (3, system::systemd),
            (2, system::cron),
            (1, remote::sshd),
        ],
        Role::Proxy => &[
            (94, web::haproxy),
            (2, system::kernel),
            (2, system::systemd),
            (1, system::cron),
            (1, remote::sshd),
        ],
        Role::App => &[
            (86, app::orders),
            (4, data::redis),
            (4, system::systemd),
            (4, system::cron),
            (2, remote::sshd),
        ],
        Role::Database => &[
            (80, data::postgres),
            (8, system::cron),
            (5, system::systemd),
            (4, system::kernel),
            (3, remote::sshd),
        ],
        Role::Mail => &[
            (60, mail::postfix),
            (34, mail::dovecot),
            (3, system::systemd),
            (3, system::cron),
        ],
        Role::Name => &[
            (92, network::named),
            (5, system::chronyd),
            (3, system::cron),
        ],
        Role::Dhcp => &[(94, network::dhcpd), (3, system::cron), (3, system::snmpd)],
        Role::Firewall => &[(100, network::asa)],
        Role::Switch => &[(100, network::ios)],
        Role::Bastion => &[
            (66, remote::sshd),
            (22, remote::sudo),
            (6, system::kernel),
            (6, system::cron),
        ],
        Role::Worker => &[
            (58, app::kubelet),
            (30, app::containerd),
            (6, system::kernel),
            (6, system::systemd),
        ],
        Role::Windows => &[(100, app::windows)],
        Role::Vpn => &[
            (88, remote::openvpn),
            (6, system::chronyd),
            (6, system::snmpd),
        ],
    }
}

/// What is logged on top while something is wrong.
pub(crate) fn in_trouble(trouble: Trouble, address: &str, scene: &mut Scene<'_>) {
    match (trouble, scene.host.role) {
        (Trouble::DatabaseDown, Role::Database) => data::postgres_exhausted(scene),
        (Trouble::DatabaseDown, Role::App) => app::orders_without_database(scene),
        (Trouble::DatabaseDown, Role::Proxy) => web::haproxy_trouble(scene),
        (Trouble::DatabaseDown, _) => web::nginx_bad_gateway(scene),
        (Trouble::Guessing, Role::Firewall) => network::asa_denied(scene, address),
        (Trouble::Guessing, _) => remote::ssh_failure(scene, address),
        (Trouble::DiskFailing, _) => system::failing_disk(scene),
        (Trouble::MailStuck, _) => mail::postfix_deferred(scene),
        (Trouble::LinkFlapping, Role::Dhcp) => network::dhcpd_exhausted(scene),
        (Trouble::LinkFlapping, _) => network::ios_flapping(scene),
    }
}
