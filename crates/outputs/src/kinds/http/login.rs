//! Who we are: the header of each request.

use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};

use super::HttpLogin;
use super::token::Tokens;
use crate::http::{ClientOptions, basic, sensitive};
use crate::secret::Secret;
use crate::sink::{Failure, Trouble};

/// Who we are, with a token that was fetched.
#[derive(Debug)]
pub(super) struct Identity {
    login: HttpLogin,
    tokens: Option<Tokens>,
}

impl Identity {
    pub(super) fn new(login: &HttpLogin, client: &ClientOptions) -> Result<Self, Failure> {
        Ok(Self {
            login: login.clone(),
            tokens: Tokens::new(login, client)?,
        })
    }

    /// The header. Secrets are read each time: a new one holds at once.
    pub(super) async fn header(&self) -> Result<Option<(HeaderName, HeaderValue)>, Failure> {
        let value = match (&self.login, &self.tokens) {
            (_, Some(tokens)) => tokens.header().await?,
            (HttpLogin::Password { user, password }, _) => basic(user, password)?,
            (HttpLogin::Token { token, header }, _) => return of_token(token, header.as_deref()),
            _ => return Ok(None),
        };
        Ok(Some((AUTHORIZATION, value)))
    }

    /// The other side does not believe this header: a token that was fetched is fetched anew.
    pub(super) async fn is_not_believed(&self, header: Option<&(HeaderName, HeaderValue)>) {
        if let (Some(tokens), Some((_, value))) = (&self.tokens, header) {
            tokens.forget(value).await;
        }
    }
}

fn of_token(
    token: &Secret,
    header: Option<&str>,
) -> Result<Option<(HeaderName, HeaderValue)>, Failure> {
    let token = token.read()?;
    let Some(name) = header else {
        let value = sensitive(&format!("Bearer {token}"))?;
        return Ok(Some((AUTHORIZATION, value)));
    };
    let name = HeaderName::try_from(name);
    let name = name.map_err(|_| Failure::new("`token_header` is no name of a header"))?;
    Ok(Some((name, sensitive(&token)?)))
}

impl HttpLogin {
    /// What is wrong with secrets and files.
    pub(super) fn examine(&self) -> Option<Trouble> {
        match self {
            Self::None => None,
            Self::Password { password, .. } => {
                secret(password, ["password", "password_file", "password_env"])
            }
            Self::Token { token, .. } => secret(token, ["token", "token_file", "token_env"]),
            Self::OAuth { secret: own, .. } => secret(
                own,
                ["oauth_secret", "oauth_secret_file", "oauth_secret_env"],
            ),
            Self::Google { key, .. } => {
                super::token::google_key(key).err().map(|failure| Trouble {
                    key: "google_key_file",
                    message: failure.what,
                    remedy: Some("name the key file of a service account, in JSON".to_owned()),
                    is_error: true,
                })
            }
        }
    }
}

fn secret(secret: &Secret, [text, file, variable]: [&'static str; 3]) -> Option<Trouble> {
    let other = match secret {
        Secret::Environment(_) => variable,
        _ => text,
    };
    secret.examine(file, other)
}
