//! HDFS by WebHDFS: the name node says which data node takes a file, and that one takes it.

use bytes::Bytes;
use hyper::{Method, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

use crate::http::{Answer, Client, Request, text_of};
use crate::sink::Failure;

/// What stands in a path as it is.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'=');

/// Whose files are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hdfs {
    /// The user that we say we are; none where the name node does not ask.
    pub user: Option<String>,
}

/// Where the file goes.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Sent {
    location: String,
}

impl Hdfs {
    /// Writes a file, in the place of one that is there.
    pub(super) async fn put(
        &self,
        client: &Client,
        path: &str,
        body: Bytes,
    ) -> Result<(), Failure> {
        let location = self.location(client, path).await?;
        let request = Request {
            method: Method::PUT,
            path: String::new(),
            headers: Vec::new(),
            body,
        };
        let answer = client.send_on(&location, &request).await?;
        match answer.status {
            StatusCode::CREATED | StatusCode::OK => Ok(()),
            _ => Err(refused(path, &answer)),
        }
    }

    /// Where the name node sends us; of several, that which is active.
    async fn location(&self, client: &Client, path: &str) -> Result<String, Failure> {
        let path = path.trim_start_matches('/');
        let mut query = "op=CREATE&overwrite=true&noredirect=true".to_owned();
        if let Some(user) = &self.user {
            query += &format!("&user.name={}", utf8_percent_encode(user, NON_ALPHANUMERIC));
        }
        let request = Request {
            method: Method::PUT,
            path: format!("/webhdfs/v1/{}?{query}", utf8_percent_encode(path, IN_PATH)),
            headers: Vec::new(),
            body: Bytes::new(),
        };
        let mut last = Failure::new("there is no name node");
        for node in 0..client.len() {
            let answer = match client.send_to(node, &request).await {
                Ok(answer) => answer,
                Err(failure) => {
                    last = failure;
                    continue;
                }
            };
            if answer.status == StatusCode::OK
                && let Ok(Sent { location }) = serde_json::from_slice(&answer.body)
            {
                return Ok(location);
            }
            // One that stands by sends nobody anywhere.
            last = refused(path, &answer);
        }
        Err(last)
    }
}

fn refused(path: &str, answer: &Answer) -> Failure {
    let remedy = match answer.status {
        StatusCode::UNAUTHORIZED => {
            ": the cluster wants Kerberos, which Logwood does not speak; a gateway such as Knox may stand between"
        }
        StatusCode::FORBIDDEN => ": see that `user` may write there",
        StatusCode::NOT_FOUND => ": see that `url` is that of a name node with WebHDFS",
        _ => "",
    };
    let text = text_of(&answer.body);
    answer.failure(format!(
        "{path} is not taken: {} {text}{remedy}",
        answer.status
    ))
}
