//! `interlock tokens`.

use crate::exit::Outcome;
use crate::global::Context;
use crate::{print, word};
use clap::{Args, Subcommand};
use interlock_api::token::{CreateToken, Scope, Token};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock tokens create operator --scope submit,work,read,operate,admin
  interlock tokens list
  interlock tokens revoke 3

As soon as there is a token, every caller needs one.";

/// Tokens: who may do what in which namespace.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Tokens {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    List(List),
    Create(Create),
    Revoke(Revoke),
}

impl Tokens {
    /// Does it.
    pub async fn run(self, context: &Context) -> Outcome {
        match self.verb {
            Verb::List(verb) => verb.run(context).await,
            Verb::Create(verb) => verb.run(context).await,
            Verb::Revoke(verb) => verb.run(context).await,
        }
    }
}

const LIST: &str = "\
Examples:
  interlock tokens list";

/// Lists tokens, without their secrets.
#[derive(Args)]
#[command(after_help = LIST)]
struct List {}

impl List {
    async fn run(self, context: &Context) -> Outcome {
        let page = context.client.tokens().list().await?;
        context.show(&page, |page| {
            if page.items.is_empty() {
                return print::line(
                    "There are no tokens: whoever reaches the server may do everything.",
                );
            }
            let rows = page.items.iter().map(|token| row(token, context));
            print::table(
                ["ID", "NAME", "NAMESPACE", "SCOPES", "CREATED", "REVOKED"],
                rows,
            );
        });
        Ok(ExitCode::SUCCESS)
    }
}

fn row(token: &Token, context: &Context) -> [String; 6] {
    let revoked = token.revoked.map(|time| context.ago(time));
    [
        token.id.clone(),
        token.name.clone(),
        token.namespace.clone().unwrap_or_else(|| "all".to_owned()),
        scopes(&token.scopes),
        context.ago(token.created),
        revoked.unwrap_or_default(),
    ]
}

fn scopes(scopes: &[Scope]) -> String {
    let words: Vec<String> = scopes.iter().map(word::text).collect();
    words.join(", ")
}

const CREATE: &str = "\
Examples:
  interlock tokens create operator --scope submit,work,read,operate,admin
  interlock tokens create shop-workers --scope work --only shops > token
      The secret is shown once: it alone goes to standard output.
  interlock --token-file token status";

/// Creates a token and shows its secret, once.
#[derive(Args)]
#[command(after_help = CREATE)]
struct Create {
    /// What it is for
    name: String,
    /// What it allows
    #[arg(long = "scope", value_name = "SCOPE", value_delimiter = ',', required = true,
        value_parser = word::one_of::<Scope>(&["submit", "work", "read", "operate", "admin"]))]
    scopes: Vec<Scope>,
    /// The only namespace it is good for; all of them if none
    #[arg(long, value_name = "NAMESPACE")]
    only: Option<String>,
}

impl Create {
    async fn run(self, context: &Context) -> Outcome {
        let create = CreateToken {
            name: self.name,
            namespace: self.only,
            scopes: self.scopes,
        };
        let created = context.client.tokens().create(&create).await?;
        context.show(&created, |created| {
            let token = &created.token;
            eprintln!(
                "Token {} ({}) allows: {}. This is its secret; it can't be shown again:",
                token.id,
                token.name,
                scopes(&token.scopes)
            );
            print::line(&created.secret);
        });
        Ok(ExitCode::SUCCESS)
    }
}

const REVOKE: &str = "\
Examples:
  interlock tokens revoke 3";

/// Revokes a token at once.
#[derive(Args)]
#[command(after_help = REVOKE)]
struct Revoke {
    /// The token's id, as `interlock tokens list` shows it
    id: String,
    /// Also if it is the last token that can create others
    #[arg(long)]
    force: bool,
}

impl Revoke {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.tokens().revoke(&self.id, self.force).await?;
        context.show(&done, |_| {
            print::line(format_args!("Token {} is revoked.", self.id));
        });
        Ok(ExitCode::SUCCESS)
    }
}
