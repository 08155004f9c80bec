//! Searches that people saved under a name, on the server and for everybody who uses it.

use std::io::Write as _;

use api::{SavedSearch, SavedSearches, SavedView};
use client::Client;

use crate::Outcome;
use crate::arguments::{
    ListSearchesArguments, SaveSearchArguments, SearchesCommand, ShowSearchArguments,
    TargetArguments, TimeArgument,
};
use crate::ask::Source;
use crate::failure::Failure;
use crate::output::{self, visible};
use crate::target::{self, Target};

/// Widest that the column of names is made, in characters.
const NAME_WIDTH_MAX: usize = 40;

/// Lists, shows, saves or deletes.
pub(crate) fn searches(command: &SearchesCommand) -> Result<Outcome, Failure> {
    match command {
        SearchesCommand::List(arguments) => list(arguments),
        SearchesCommand::Show(arguments) => show(arguments),
        SearchesCommand::Save(arguments) => save(arguments),
        SearchesCommand::Delete(arguments) => {
            server(&arguments.target)?.delete_search(&arguments.name)?;
            output::words(&format!("deleted {}", visible(&arguments.name)));
            Ok(Outcome::Done)
        }
    }
}

fn list(arguments: &ListSearchesArguments) -> Result<Outcome, Failure> {
    let searches = all(&Source::open(&arguments.target)?)?.searches;
    let mut out = output::data();
    let names = searches.iter().map(|search| visible(&search.name));
    let widest = names.map(|name| name.chars().count()).max().unwrap_or(0);
    let width = widest.min(NAME_WIDTH_MAX);
    for search in &searches {
        if arguments.json {
            output::json_line(&mut out, search)?;
        } else {
            let words = words_of(&search.view).join(" ");
            writeln!(out, "{:width$}  {words}", visible(&search.name))?;
        }
    }
    out.flush()?;
    Ok(match searches.is_empty() {
        true => Outcome::NothingFound,
        false => Outcome::Done,
    })
}

fn show(arguments: &ShowSearchArguments) -> Result<Outcome, Failure> {
    let search = named(&Source::open(&arguments.target)?, &arguments.name)?;
    let mut out = output::data();
    if arguments.json {
        output::json_line(&mut out, &search)?;
    } else {
        writeln!(out, "name      {}", visible(&search.name))?;
        writeln!(out, "saved     {}", search.saved)?;
        for (name, text) in parameters(&search.view) {
            writeln!(out, "{name:<8}  {}", visible(text))?;
        }
    }
    out.flush()?;
    Ok(Outcome::Done)
}

fn save(arguments: &SaveSearchArguments) -> Result<Outcome, Failure> {
    let given = |text: &Option<String>| text.clone().unwrap_or_default();
    let view = SavedView {
        q: arguments.query.clone(),
        from: given(&arguments.from),
        to: given(&arguments.to),
        time: match arguments.time {
            Some(TimeArgument::Event) => "event".to_owned(),
            Some(TimeArgument::Received) | None => String::new(),
        },
        logspace: given(&arguments.logspace),
        cols: given(&arguments.cols),
        split: given(&arguments.split),
    };
    let client = server(&arguments.target)?;
    let saved = client.save_search(&arguments.name, &view);
    let saved = saved.map_err(|error| Failure::from(error).in_query(&view.q))?;
    output::words(&format!("saved {}", visible(&saved.name)));
    Ok(Outcome::Done)
}

/// The saved search of a name.
pub(crate) fn named(source: &Source, name: &str) -> Result<SavedSearch, Failure> {
    let mut searches = all(source)?.searches;
    let Some(place) = searches.iter().position(|search| search.name == name) else {
        let failure = Failure::new(format!("there is no saved search {name:?}"));
        let folded = name.to_lowercase();
        let alike = searches
            .iter()
            .find(|search| search.name.to_lowercase().contains(&folded));
        return Err(failure.hint(match alike {
            Some(search) => format!("did you mean {:?}?", search.name),
            None => "`logwood searches list` has those that there are".to_owned(),
        }));
    };
    Ok(searches.swap_remove(place))
}

fn all(source: &Source) -> Result<SavedSearches, Failure> {
    source.ask(
        &Vec::new(),
        |client, _| client.saved_searches(),
        |asked, _| asked.saved_searches(),
    )
}

/// The server, which alone writes them.
fn server(arguments: &TargetArguments) -> Result<Client, Failure> {
    match Target::find(arguments)? {
        Target::Server(client) => Ok(client),
        Target::Directory(path) => {
            let what = format!("no server has {} open", path.display());
            let failure = Failure::new(what).because("saved searches are changed by a server only");
            Err(failure.hint(format!(
                "start one with `logwood serve`, or name it with --url, such as {}",
                target::URL_DEFAULT
            )))
        }
    }
}

/// The parameters that are there, by name; the query always.
fn parameters(view: &SavedView) -> impl Iterator<Item = (&'static str, &str)> {
    let all = [
        ("query", &view.q),
        ("from", &view.from),
        ("to", &view.to),
        ("time", &view.time),
        ("logspace", &view.logspace),
        ("columns", &view.cols),
        ("split", &view.split),
    ];
    all.into_iter()
        .filter(|(name, text)| *name == "query" || !text.is_empty())
        .map(|(name, text)| (name, text.as_str()))
}

/// The query, and what bounds it, as flags.
fn words_of(view: &SavedView) -> Vec<String> {
    let flags =
        parameters(view).filter(|(name, _)| ["from", "to", "time", "logspace"].contains(name));
    let query = match view.q.is_empty() {
        true => "*".to_owned(),
        false => visible(&view.q),
    };
    let flags = flags.map(|(name, text)| format!("--{name} {}", visible(text)));
    std::iter::once(query).chain(flags).collect()
}
