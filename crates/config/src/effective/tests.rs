use expect_test::{Expect, expect};

use super::*;
use crate::overrides::Overrides;
use crate::testing::{address, config};

#[test]
fn effective_is_a_file_that_says_the_same() {
    let text = "[source.udp.office]\nlisten = \"0.0.0.0:514\"\nzone = \"+02:00\"\n\n\
                [logspace.\"web.eu\"]\n[route.r]\nmatch = '\"a \\ b\"'\nlogspace = \"web.eu\"\n";
    let flags = Overrides {
        data_dir: Some("/srv/logs".into()),
        http: Some(address("[::1]:80")),
        relp: vec![address("127.0.0.1:7")],
        ..Overrides::default()
    };
    let effective = config(text, &flags).effective();
    in_force().assert_eq(&effective.to_string());
    says_the_same(&effective);
}

#[expect(clippy::too_many_lines, reason = "it is one text")]
fn in_force() -> Expect {
    expect![[r#"
        [source.udp.office]                      # line 1
        listen = "0.0.0.0:514"                   # line 2
        logspace = "main"                        # default
        allow = []                               # default
        deny = []                                # default
        parse = "syslog"                         # default
        zone = "+02:00"                          # line 3
        # encoding                               # not set
        host_from = "message"                    # default
        # host_override                          # not set
        compression = "detect"                   # default
        durability = "strict"                    # default
        flow_control = true                      # default
        message_max = "64KiB"                    # default
        period = "5m"                            # default
        # messages_min                           # not set
        # messages_max                           # not set
        # sender_messages_min                    # not set
        # sender_messages_max                    # not set
        receive_buffer = "32MiB"                 # default
        sockets = 2                              # default
        gro = false                              # default

        [source.relp.relp]                       # flag
        listen = "127.0.0.1:7"                   # flag
        logspace = "main"                        # default
        allow = []                               # default
        deny = []                                # default
        proxy_from = []                          # default
        parse = "syslog"                         # default
        zone = "local"                           # default
        # encoding                               # not set
        host_from = "message"                    # default
        # host_override                          # not set
        compression = "detect"                   # default
        durability = "strict"                    # default
        message_max = "64KiB"                    # default
        period = "5m"                            # default
        # messages_min                           # not set
        # messages_max                           # not set
        # sender_messages_min                    # not set
        # sender_messages_max                    # not set
        connections_max = 10000                  # default
        # idle_timeout                           # not set
        tls = false                              # default
        handshake_timeout = "10s"                # default
        # certificate                            # not set
        # key                                    # not set
        # client_ca                              # not set
        client_certificates = "none"             # default
        client_names = []                        # default
        client_fingerprints = []                 # default
        # client_crl                             # not set

        [logspace.main]                          # default
        # keep_age                               # not set
        # keep_size                              # not set
        # archive_after                          # not set
        # archive_dir                            # not set
        # tokens                                 # not set

        [logspace."web.eu"]                      # line 5
        # keep_age                               # not set
        # keep_size                              # not set
        # archive_after                          # not set
        # archive_dir                            # not set
        # tokens                                 # not set

        [route.r]                                # line 6
        from = []                                # default
        match = "\"a \\ b\""                     # line 7
        steps = []                               # default
        logspace = "web.eu"                      # line 8
        tags = []                                # default
        final = false                            # default
        fallback = false                         # default

        [http]                                   # default
        listen = "[::1]:80"                      # flag
        hosts = []                               # default
        logspace = "main"                        # default
        parse = "syslog"                         # default
        zone = "local"                           # default
        durability = "strict"                    # default
        message_max = "64KiB"                    # default
        connections_max = 512                    # default
        questions_max = 4                        # default
        exports_max = 4                          # default
        tails_max = 64                           # default

        [receive]                                # default
        memory_max = "64MiB"                     # default

        [store]                                  # default
        data_dir = "/srv/logs"                   # flag
        memory_max = "512MiB"                    # default
        segment_rows_max = 262144                # default
        # threads                                # not set
        journal_file = "64MiB"                   # default
        free_min = "64MiB"                       # default
        free_warn = "1GiB"                       # default
        compression_level = 1                    # default
        compaction_level = 15                    # default

        [log]                                    # default
        level = "info"                           # default
        format = "text"                          # default
        # logspace                               # not set
    "#]]
}

/// Its text, read as a file, is in force as a whole.
fn says_the_same(effective: &Effective) {
    let again = config(&effective.to_string(), &Overrides::default()).effective();
    for (one, other) in effective.sections.iter().zip(&again.sections) {
        assert_eq!(one.path, other.path);
        for (one, other) in one.settings.iter().zip(&other.settings) {
            assert_eq!((one.key, &one.value), (other.key, &other.value));
            let written = one.value.is_some();
            assert_eq!(matches!(other.origin, Origin::File(_)), written);
        }
    }
    assert_eq!(effective.sections.len(), again.sections.len());
    assert_eq!(effective.restart_keys(&again), Vec::<String>::new());
}

#[test]
fn keys_that_need_a_restart_are_named_when_they_change() {
    let one = config(
        "[http]\nlisten = \"127.0.0.1:1\"\nparse = \"none\"\n",
        &Overrides::default(),
    );
    let two = config(
        "[store]\ndata_dir = \"/x\"\n[log]\nlevel = \"warn\"\n",
        &Overrides::default(),
    );
    let keys = one.effective().restart_keys(&two.effective());
    assert_eq!(keys, ["http.listen", "store.data_dir"]);
}
