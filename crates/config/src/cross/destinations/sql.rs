//! Destinations that are databases: what this build and the database have.

use outputs::Rendering;
use outputs::kinds::{Column, Engine, SqlAddress};

use crate::document::Section;
use crate::finding::Findings;
use crate::nearest::{list, nearest};
use crate::value::Value;

/// Adds what is wrong with a database.
pub(super) fn check(section: &Section, findings: &mut Findings<'_>) {
    let Some(entry) = section.entry("url").filter(|_| section.kind() == "sql") else {
        return;
    };
    let Value::Text(url) = &entry.value else {
        return;
    };
    // What is wrong inside of it is told with its place.
    let Ok(address) = SqlAddress::parse(url) else {
        return;
    };
    let engine = address.engine;
    if !engine.is_built() {
        let feature = engine.feature();
        let message = format!("this Logwood was built without `{feature}`");
        let hint = format!("build it with the feature `{feature}`, or use a package that has it");
        findings.error(entry.span.clone(), message, Some(hint));
    }
    if engine == Engine::Mysql {
        of_postgres(section, findings);
    }
    table(section, findings);
    columns(section, engine, findings);
}

/// Keys that mean nothing to MySQL.
fn of_postgres(section: &Section, findings: &mut Findings<'_>) {
    for (key, hint) in [
        ("schema", "name the database in `url`, and leave it out"),
        (
            "fingerprints",
            "name the authority by `ca`: what is used for MySQL knows no fingerprints",
        ),
    ] {
        let entry = section.entry(key);
        if let Some(entry) = entry.filter(|entry| entry.span.is_some()) {
            let message = format!("`{key}` is for PostgreSQL");
            findings.error(entry.span.clone(), message, Some(hint.to_owned()));
        }
    }
}

/// A dot would be a part of the name.
fn table(section: &Section, findings: &mut Findings<'_>) {
    let Some(entry) = section.entry("table") else {
        return;
    };
    let Value::Text(text) = &entry.value else {
        return;
    };
    let constant = Rendering::template(text)
        .ok()
        .and_then(|table| table.constant());
    let Some(constant) = constant else { return };
    if constant.trim().is_empty() {
        let hint = Some("name it, such as \"logs\"".to_owned());
        findings.error(
            entry.span.clone(),
            "`table` names no table".to_owned(),
            hint,
        );
    } else if let Some((schema, table)) = constant.split_once('.') {
        let message = "a dot in `table` is a part of its name".to_owned();
        let hint = format!("write `schema = {schema:?}` and `table = {table:?}`");
        findings.error(entry.span.clone(), message, Some(hint));
    }
}

/// Columns stand once, and types are of columns.
fn columns(section: &Section, engine: Engine, findings: &mut Findings<'_>) {
    let mut names: Vec<String> = Vec::new();
    if let Some(Value::Templates(columns)) = section.entry("columns").map(|entry| &entry.value) {
        let id = section.entry("id_column").map(|entry| &entry.value);
        for (name, template) in columns {
            if matches!(id, Some(Value::Text(id)) if id == name) {
                let message = format!("the column {name:?} is that of the id");
                let hint = Some("leave it out, or name another `id_column`".to_owned());
                findings.error(template.span.clone(), message, hint);
            }
            names.push(name.clone());
        }
    }
    if names.is_empty() {
        names = Column::defaults(engine)
            .into_iter()
            .map(|column| column.name)
            .collect();
    }
    let Some(Value::Templates(types)) = section.entry("types").map(|entry| &entry.value) else {
        return;
    };
    for (name, sql_type) in types {
        if !names.contains(name) {
            let known = names.iter().map(String::as_str);
            let hint = match nearest(name, known.clone()) {
                Some(near) => format!("did you mean {near:?}?"),
                None => format!("the columns are {}", list(known)),
            };
            let message = format!("`types` names {name:?}, which is no column");
            findings.error(sql_type.span.clone(), message, Some(hint));
        }
        let is_part = |c: char| c.is_ascii_alphanumeric() || " _(),[]".contains(c);
        if sql_type.item.trim().is_empty() || !sql_type.item.chars().all(is_part) {
            let message = format!("{:?} is no type", sql_type.item);
            let hint = Some("write a type of the database, such as \"varchar(100)\"".to_owned());
            findings.error(sql_type.span.clone(), message, hint);
        }
    }
}
