//! Tokens that are fetched: with the credentials of a client, or with the key of a service account of Google. One is
//! kept until it is nearly over, or is not believed.

use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::StatusCode;
use hyper::header::{ACCEPT, AUTHORIZATION, HeaderValue};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde::Deserialize;
use serde_json::json;
use store::{Clock as _, SystemClock};
use tokio::sync::Mutex;

use super::HttpLogin;
use crate::http::{Client, ClientOptions, Request, Url, basic, sensitive, text_of};
use crate::limits::{SHORT_ANSWER_BYTES_MAX, TOKEN_LIFE_DEFAULT, TOKEN_MARGIN_MAX};
use crate::secret::Secret;
use crate::sink::Failure;
use crate::tls::TlsOptions;

/// Fetches tokens, and keeps the last.
#[derive(Debug)]
pub(super) struct Tokens {
    login: HttpLogin,
    client: Client,
    kept: Mutex<Option<Kept>>,
}

#[derive(Debug)]
struct Kept {
    header: HeaderValue,
    until: Instant,
}

/// What is answered (RFC 6749 section 5.1).
#[derive(Deserialize)]
struct Granted {
    access_token: String,
    #[serde(default)]
    expires_in: Option<u64>,
}

/// What Google gives out for a service account.
#[derive(Deserialize)]
pub(super) struct GoogleKey {
    client_email: String,
    private_key: String,
    #[serde(default)]
    private_key_id: String,
    token_uri: String,
}

impl Tokens {
    /// None where there is nothing to fetch.
    pub(super) fn new(login: &HttpLogin, options: &ClientOptions) -> Result<Option<Self>, Failure> {
        let url = match login {
            HttpLogin::OAuth { url, .. } => url.clone(),
            HttpLogin::Google { key, .. } => {
                let key = google_key(key)?;
                let url = Url::parse(&key.token_uri);
                url.map_err(|bad| Failure::new(format!("`token_uri`: {}", bad.message)))?
            }
            _ => return Ok(None),
        };
        let options = ClientOptions {
            urls: vec![url],
            // Another server than the one that records go to: what is known of that one says nothing.
            tls: TlsOptions {
                authorities: options.tls.authorities.clone(),
                ..TlsOptions::default()
            },
            timeout: options.timeout,
            gzip: None,
        };
        Ok(Some(Self {
            login: login.clone(),
            client: Client::new(&options, SHORT_ANSWER_BYTES_MAX)?,
            kept: Mutex::new(None),
        }))
    }

    /// The header with a token. While one is fetched, others wait for it.
    pub(super) async fn header(&self) -> Result<HeaderValue, Failure> {
        let mut kept = self.kept.lock().await;
        if let Some(kept) = &*kept
            && Instant::now() < kept.until
        {
            return Ok(kept.header.clone());
        }
        let asked = Instant::now();
        let granted = self.fetch().await?;
        let life = granted.expires_in.map(Duration::from_secs);
        let life = life.unwrap_or(TOKEN_LIFE_DEFAULT);
        let header = sensitive(&format!("Bearer {}", granted.access_token))?;
        *kept = Some(Kept {
            header: header.clone(),
            until: asked + life.saturating_sub(TOKEN_MARGIN_MAX.min(life / 5)),
        });
        Ok(header)
    }

    /// Drops a token, unless there is a newer one already.
    pub(super) async fn forget(&self, header: &HeaderValue) {
        let mut kept = self.kept.lock().await;
        if kept.as_ref().is_some_and(|kept| kept.header == *header) {
            *kept = None;
        }
    }

    async fn fetch(&self) -> Result<Granted, Failure> {
        let answer = self.client.send(self.request()?).await?;
        let name = self.client.name(answer.url);
        if answer.status != StatusCode::OK {
            let text = text_of(&answer.body);
            return Err(answer.failure(format!("{name} gives no token: {} {text}", answer.status)));
        }
        // What was answered is not shown: it may have the token.
        serde_json::from_slice(&answer.body)
            .map_err(|_| Failure::new(format!("{name} answers with no token")))
    }

    fn request(&self) -> Result<Request, Failure> {
        let (form, header) = match &self.login {
            HttpLogin::OAuth {
                client,
                secret,
                scope,
                ..
            } => {
                let mut form = "grant_type=client_credentials".to_owned();
                if let Some(scope) = scope {
                    form += &format!("&scope={}", encoded(scope));
                }
                // The parts are encoded before they are put together (RFC 6749 section 2.3.1).
                let secret = Secret::Text(encoded(&secret.read()?));
                (form, Some(basic(&encoded(client), &secret)?))
            }
            HttpLogin::Google { key, scope } => {
                let assertion = google_key(key)?.assertion(scope)?;
                let grant = encoded("urn:ietf:params:oauth:grant-type:jwt-bearer");
                (format!("grant_type={grant}&assertion={assertion}"), None)
            }
            _ => return Err(Failure::new("there is no token to fetch")),
        };
        let request = Request::post("", "application/x-www-form-urlencoded", form.into())
            .header(ACCEPT, HeaderValue::from_static("application/json"));
        Ok(match header {
            Some(header) => request.header(AUTHORIZATION, header),
            None => request,
        })
    }
}

/// Reads the key of a service account. It is read each time: a new one holds at once.
pub(super) fn google_key(path: &Path) -> Result<GoogleKey, Failure> {
    let text = Secret::File(path.to_owned()).read()?;
    serde_json::from_str(&text).map_err(|error| {
        // Its own words could show a part of the key.
        let line = error.line();
        let path = path.display();
        Failure::new(format!(
            "{path} is no key of a service account: see line {line}"
        ))
    })
}

impl GoogleKey {
    /// What says who we are, for an hour, signed with the key (RFC 7523).
    fn assertion(&self, scope: &str) -> Result<String, Failure> {
        let unusable =
            |what: String| Failure::new(format!("the private key cannot be used: {what}"));
        let seconds = SystemClock.now().nanos() / 1_000_000_000;
        let header = json!({ "alg": "RS256", "typ": "JWT", "kid": self.private_key_id });
        let claims = json!({
            "iss": self.client_email,
            "scope": scope,
            "aud": self.token_uri,
            "iat": seconds,
            "exp": seconds + 3_600,
        });
        let [header, claims] =
            [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string()));
        let signed = format!("{header}.{claims}");
        let key = PrivatePkcs8KeyDer::from_pem_slice(self.private_key.as_bytes())
            .map_err(|error| unusable(error.to_string()))?;
        let key = RsaKeyPair::from_pkcs8(key.secret_pkcs8_der())
            .map_err(|error| unusable(error.to_string()))?;
        let mut signature = vec![0; key.public().modulus_len()];
        key.sign(
            &RSA_PKCS1_SHA256,
            &SystemRandom::new(),
            signed.as_bytes(),
            &mut signature,
        )
        .map_err(|error| unusable(error.to_string()))?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
