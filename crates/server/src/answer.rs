//! Questions of the API answered on a store, without HTTP.
//!
//! Each function takes the parameters of a URL. The time taken is measured by the caller's clock.

mod complete;
mod table;

use api::{
    Bar, Cost, CountAnswer, End, FieldCount, FieldsAnswer, HistogramAnswer, ParseAnswer,
    ParseDiagnostic, ParseToken, Problem, Row, SavedSearches, Segments, StatsAnswer, StreamLine,
    ValueCount,
};
use std::ops::ControlFlow;

use engine::{
    Cancel, Cursor, FoundRow, Order, RowRef, Scope, SearchOptions, StatsField, Stop, TimeKind,
};
use model::{RecordId, Timestamp};
use store::{Clock, Store};

use crate::limits::{
    BARS_DEFAULT, BARS_MAX, CELL_BYTES, HISTOGRAM_TOLD_NANOS, SEARCH_ROWS_DEFAULT, SEARCH_ROWS_MAX,
    STATS_VALUES_DEFAULT, STATS_VALUES_MAX,
};
use crate::parameters::Parameters;
use crate::problem::Refusal;
use crate::saved;

/// What a question is asked of.
pub struct Asked<'a> {
    /// Where the records are.
    pub store: &'a Store,
    /// For relative times and the time taken.
    pub clock: &'a dyn Clock,
    /// Ends the work early.
    pub cancel: &'a Cancel,
}

impl Asked<'_> {
    /// One page of records.
    ///
    /// # Errors
    /// When a parameter is wrong.
    pub fn search(&self, parameters: &Parameters) -> Result<(Vec<Row>, End), Box<Problem>> {
        self.refusable(|start| self.find(parameters, start))
    }

    fn find(&self, parameters: &Parameters, start: Timestamp) -> Result<(Vec<Row>, End), Refusal> {
        let query = parameters.query()?;
        let scope = parameters.scope(self.store, start)?;
        let options = SearchOptions {
            limit: parameters.number("limit", SEARCH_ROWS_DEFAULT, SEARCH_ROWS_MAX)?,
            cursor: cursor(parameters, scope.time)?,
            order: order(parameters)?,
        };
        let with_raw = parameters.flag("raw")?;
        let found = engine::search(&scope, &query, &options, self.cancel);
        let rows: Vec<Row> = found.rows.iter().map(|row| to_row(row, with_raw)).collect();
        let end = End {
            cursor: found.cursor.map(|cursor| cursor.to_string()),
            rows: rows.len() as u64,
            cost: self.cost(start, &found.cost, &found.completeness),
        };
        Ok((rows, end))
    }

    /// The searches that people saved, by name.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn saved_searches(&self) -> Result<SavedSearches, Box<Problem>> {
        self.refusable(|_| saved::read(self.store))
    }

    /// Every record that matches, the oldest first, one by one.
    ///
    /// # Errors
    /// When a parameter is wrong.
    pub fn export(
        &self,
        parameters: &Parameters,
        visit: &mut dyn FnMut(RowRef<'_>) -> ControlFlow<()>,
    ) -> Result<End, Box<Problem>> {
        self.streamed(|start| {
            let query = parameters.query()?;
            let scope = parameters.scope(self.store, start)?;
            let order = Order::OldestFirst;
            let found = engine::search_each(&scope, &query, order, self.cancel, visit);
            let cost = self.cost(start, &found.cost, &found.completeness);
            Ok(End {
                cursor: None,
                rows: found.rows,
                cost,
            })
        })
    }

    /// How many records match.
    ///
    /// # Errors
    /// When a parameter is wrong.
    pub fn count(&self, parameters: &Parameters) -> Result<CountAnswer, Box<Problem>> {
        self.refusable(|start| {
            let query = parameters.query()?;
            let scope = parameters.scope(self.store, start)?;
            let found = engine::count(&scope, &query, self.cancel);
            let cost = self.cost(start, &found.cost, &found.completeness);
            Ok(CountAnswer {
                count: found.count,
                cost,
            })
        })
    }

    /// How many records match over time.
    ///
    /// # Errors
    /// When a parameter is wrong.
    pub fn histogram(&self, parameters: &Parameters) -> Result<HistogramAnswer, Box<Problem>> {
        self.growing_histogram(parameters, &mut |_| ())
    }

    /// The same, and what has been counted of it now and then.
    ///
    /// # Errors
    /// When a parameter is wrong.
    pub fn growing_histogram(
        &self,
        parameters: &Parameters,
        tell: &mut (dyn FnMut(HistogramAnswer) + Send),
    ) -> Result<HistogramAnswer, Box<Problem>> {
        self.streamed(|start| {
            let query = parameters.query()?;
            let mut scope = parameters.scope(self.store, start)?;
            let bars = parameters.number("bars", BARS_DEFAULT, BARS_MAX)?;
            bound_to_stored(&mut scope, start);
            let answer = |bars: &mut dyn Iterator<Item = engine::Bar>| {
                let bar = |bar: engine::Bar| Bar {
                    start: bar.start.to_string(),
                    count: bar.count,
                };
                let bars: Vec<Bar> = bars.map(bar).collect();
                HistogramAnswer {
                    from: scope.range.start.to_string(),
                    to: scope.range.end.to_string(),
                    total: bars.iter().map(|bar| bar.count).sum(),
                    bars,
                    counting: false,
                    cost: Cost::default(),
                }
            };
            let mut told = start;
            let watch = &mut |counted: engine::Counted<'_>| {
                let now = self.clock.now();
                if now.nanos().saturating_sub(told.nanos()) >= HISTOGRAM_TOLD_NANOS {
                    told = now;
                    let mut part = answer(&mut counted.bars());
                    part.counting = true;
                    tell(part);
                }
            };
            let found = engine::histogram_watched(&scope, &query, bars, self.cancel, watch);
            Ok(HistogramAnswer {
                cost: self.cost(start, &found.cost, &found.completeness),
                ..answer(&mut found.bars.into_iter())
            })
        })
    }

    /// The most frequent values of a field.
    ///
    /// # Errors
    /// When a parameter is wrong.
    pub fn stats(&self, parameters: &Parameters) -> Result<StatsAnswer, Box<Problem>> {
        self.refusable(|start| {
            let query = parameters.query()?;
            let scope = parameters.scope(self.store, start)?;
            let by = parameters.get("by").ok_or_else(|| {
                Refusal::parameter("by", "the field is missing", "add by=host, for example")
            })?;
            let limit = parameters.number("limit", STATS_VALUES_DEFAULT, STATS_VALUES_MAX)?;
            let field = StatsField::parse(by).map_err(|error| {
                Refusal::parameter("by", error.to_string(), "name one field, such as host")
            })?;
            let found = engine::stats(scope, &query, &field, limit, self.cancel);
            let written = found.values.iter().map(|v| v.value.len() + CELL_BYTES);
            self.cancel.take(written.sum());
            let value = |v: engine::ValueCount| ValueCount {
                value: v.value,
                count: v.count,
            };
            Ok(StatsAnswer {
                by: by.to_owned(),
                values: found.values.into_iter().map(value).collect(),
                distinct: found.distinct,
                total: found.total,
                cost: self.cost(start, &found.cost, &found.completeness),
            })
        })
    }

    /// The fields that the matching records have.
    ///
    /// # Errors
    /// When a parameter is wrong.
    pub fn fields(&self, parameters: &Parameters) -> Result<FieldsAnswer, Box<Problem>> {
        self.refusable(|start| {
            let query = parameters.query()?;
            let scope = parameters.scope(self.store, start)?;
            let found = engine::fields(scope, &query, self.cancel);
            let field = |f: engine::FieldCount| FieldCount {
                name: f.name,
                count: f.count,
            };
            Ok(FieldsAnswer {
                fields: found.fields.into_iter().map(field).collect(),
                cost: self.cost(start, &found.cost, &found.completeness),
            })
        })
    }

    /// One record, with its bytes.
    ///
    /// # Errors
    /// When the id is none, or nothing has it.
    pub fn record(&self, id: &str) -> Result<StreamLine, Box<Problem>> {
        self.refusable(|_| {
            let parsed = RecordId::parse(id).map_err(|error| {
                let hint = "copy the id from a search result";
                Refusal::parameter("id", error.to_string(), hint)
            })?;
            let snapshot = self.store.snapshot(&parsed.logspace);
            let found = engine::record(snapshot.as_slice(), &parsed);
            match found.map_err(|error| Refusal::internal(error.to_string()))? {
                Some(row) => Ok(StreamLine::Row(Box::new(to_row(&row, true)))),
                None => {
                    let detail = format!("there is no record {id}");
                    Err(Problem::new(404, "record-unknown", "no such record", detail).into())
                }
            }
        })
    }

    /// Asks a question that is answered as a whole, or not at all where there is no memory for it.
    fn refusable<T>(
        &self,
        ask: impl FnOnce(Timestamp) -> Result<T, Refusal>,
    ) -> Result<T, Box<Problem>> {
        let answer = self.streamed(ask)?;
        match self.cancel.stopped() {
            Some(Stop::Memory) => Err(Refusal::memory().into_problem()),
            _ => Ok(answer),
        }
    }

    /// Asks one of whose answer a part may have been sent; what it says of its cost tells the rest.
    fn streamed<T>(
        &self,
        ask: impl FnOnce(Timestamp) -> Result<T, Refusal>,
    ) -> Result<T, Box<Problem>> {
        ask(self.clock.now()).map_err(Refusal::into_problem)
    }

    fn cost(
        &self,
        start: Timestamp,
        cost: &engine::Cost,
        completeness: &engine::Completeness,
    ) -> Cost {
        let nanos = self
            .clock
            .now()
            .nanos()
            .saturating_sub(start.nanos())
            .max(0);
        Cost {
            complete: completeness.is_complete(),
            reason: completeness.reason().map(String::from),
            // Microseconds are all that a measurement of this kind is good for.
            elapsed_ms: (nanos / 1_000) as f64 / 1_000.0,
            segments: Segments {
                total: cost.segments_total as u64,
                pruned: cost.segments_pruned as u64,
                remembered: cost.segments_remembered as u64,
            },
            bytes_read: cost.bytes_read,
        }
    }
}

/// A record as JSON.
pub fn to_row(found: &FoundRow, with_raw: bool) -> Row {
    Row::new(&found.id, found.record(), with_raw)
}

/// Narrows a range without start or end to the records there are, so that it can be cut into bars.
/// Where there are none it is the last hour.
fn bound_to_stored(scope: &mut Scope, now: Timestamp) {
    const HOUR: i64 = 3_600_000_000_000;
    let stored = scope.stored_range();
    if scope.range.start == Timestamp::MIN {
        scope.range.start = stored.map_or(now.plus_nanos(-HOUR), |stored| stored.start);
    }
    if scope.range.end == Timestamp::MAX {
        scope.range.end = stored
            .map_or(now, |stored| stored.end)
            // Who asks again with the range of an answer has to be answered, where it is empty too.
            .max(scope.range.start.plus_nanos(1));
    }
}

/// What the parser makes of a query, or of a question with a pipe.
pub fn parse(text: &str, takes_pipe: bool) -> ParseAnswer {
    let parsed = if takes_pipe {
        query::parse_question(text)
    } else {
        query::parse(text).into()
    };
    let diagnostic = |diagnostic: &query::Diagnostic| ParseDiagnostic {
        start: diagnostic.span.start,
        end: diagnostic.span.end,
        severity: diagnostic.severity.as_str().to_owned(),
        message: diagnostic.message.clone(),
        hint: diagnostic.hint.clone(),
    };
    let token = |token: &query::Token| ParseToken {
        kind: token.kind.as_str().to_owned(),
        start: token.span.start,
        end: token.span.end,
    };
    ParseAnswer {
        valid: parsed.is_valid(),
        canonical: parsed.question.canonical(),
        diagnostics: parsed.diagnostics.iter().map(diagnostic).collect(),
        tokens: parsed.tokens.iter().map(token).collect(),
    }
}

fn cursor(parameters: &Parameters, time: TimeKind) -> Result<Option<Cursor>, Refusal> {
    let Some(text) = parameters.get("cursor") else {
        return Ok(None);
    };
    let hint = "use the cursor of the answer before, as it is, with the same query";
    let refuse = |detail: String| Refusal::parameter("cursor", detail, hint);
    let cursor = Cursor::parse(text).map_err(|error| refuse(error.to_string()))?;
    if cursor.kind() != time {
        let detail = "it comes from an answer with another value of the parameter time";
        return Err(refuse(detail.to_owned()));
    }
    Ok(Some(cursor))
}

fn order(parameters: &Parameters) -> Result<Order, Refusal> {
    match parameters.get("order") {
        None | Some("desc") => Ok(Order::NewestFirst),
        Some("asc") => Ok(Order::OldestFirst),
        Some(text) => {
            let detail = format!("{text:?} is no order");
            Err(Refusal::parameter(
                "order",
                detail,
                "use desc (newest first) or asc",
            ))
        }
    }
}
