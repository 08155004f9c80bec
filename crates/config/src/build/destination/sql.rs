//! Databases.

use outputs::kinds::{Column, Sql, SqlAddress};
use outputs::{Rendering, TlsOptions};

use super::{fingerprints, tls_files};
use crate::build::Values;

pub(super) fn sql(values: &Values<'_>) -> Option<Sql> {
    let address = SqlAddress::parse(values.text("url")).ok()?;
    let mut columns: Vec<_> = values
        .templates("columns")
        .into_iter()
        .map(|(name, value)| Column {
            name,
            sql_type: None,
            value,
        })
        .collect();
    if columns.is_empty() {
        columns = Column::defaults(address.engine);
    }
    for (name, sql_type) in values.templates("types") {
        for column in columns.iter_mut().filter(|column| column.name == name) {
            column.sql_type = sql_type.constant();
        }
    }
    let schema = values.text("schema");
    Some(Sql {
        address,
        password: values.secret(["password", "password_file", "password_env"]),
        tls: values.bool("tls").then(|| TlsOptions {
            fingerprints: fingerprints(values),
            ..tls_files(values)
        }),
        schema: (!schema.is_empty()).then(|| schema.to_owned()),
        table: Rendering::template(values.text("table")).ok()?,
        id_column: values.text("id_column").to_owned(),
        columns,
        creates: values.bool("create"),
        timeout: values.duration("timeout").unwrap_or_default(),
    })
}
