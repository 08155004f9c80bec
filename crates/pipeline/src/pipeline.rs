//! Batches, through the routes.

use std::sync::{Mutex, PoisonError};

use macros::Context;
use model::{LogspaceName, RecordBatch, RecordRef};

use crate::counters::{Counters, StepFigures};
use crate::deliveries::Deliveries;
use crate::file::FileUser;
use crate::plan::{Plan, PlannedRoute};
use crate::route::{InvalidRoute, Route, check};
use crate::runner::{Flow, Runner};
use crate::trace::{Recorder, Trace};

/// Routes in order. Shared between threads; replaced as a whole when the configuration changes.
#[derive(Debug, Default)]
pub struct Pipeline {
    plan: Plan,
    counters: Counters,
    /// What threads have needed before, for those that come next.
    runners: Mutex<Vec<Runner>>,
    context: Context,
}

/// Records for one logspace.
#[derive(Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// Where they go.
    pub logspace: &'a LogspaceName,
    /// The records, in their order.
    pub batch: RecordBatch,
    /// How many of them are in no part before this one. Over all parts these and [`Split::dropped`] add up
    /// to the records that came in, so that each can be counted once.
    pub firsts: usize,
}

/// What became of a batch.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Split<'a> {
    /// What each logspace gets; a logspace has several parts where one batch does not hold all of it.
    pub parts: Vec<Part<'a>>,
    /// Records that a step dropped and that go nowhere.
    pub dropped: usize,
}

/// A batch on its way through the routes.
struct Walk<'a> {
    /// The records, as far as they have come.
    batch: RecordBatch,
    deliveries: Deliveries,
    split: Split<'a>,
    otherwise: &'a LogspaceName,
}

/// Most runners that are kept: as many as threads receive on large machines.
const RUNNERS_MAX: usize = 64;

impl Pipeline {
    /// Checks the routes and makes them ready. `context` is what templates know beside the record.
    ///
    /// # Errors
    /// When a route cannot be followed.
    pub fn new(routes: Vec<Route>, context: Context) -> Result<Self, InvalidRoute> {
        check(&routes)?;
        let plan = Plan::new(routes)?;
        Ok(Self {
            counters: Counters::new(plan.labels.len()),
            plan,
            runners: Mutex::default(),
            context,
        })
    }

    /// Every logspace that a route leads to, each once, in order.
    pub fn logspaces(&self) -> Vec<&LogspaceName> {
        self.plan.logspaces.iter().collect()
    }

    /// The files that steps work by, one for each step that does. Until they are read such steps fail.
    pub fn files(&self) -> impl Iterator<Item = &dyn FileUser> {
        self.plan
            .with_files
            .iter()
            .filter_map(|action| action.file())
    }

    /// What each step did since the pipeline was made, in the order of routes and steps.
    pub fn step_figures(&self) -> Vec<StepFigures> {
        self.counters.figures(&self.plan)
    }

    /// Splits a batch into what each logspace gets, in order of first appearance; records that no route
    /// takes go to `otherwise`. An empty batch has no parts.
    ///
    /// Where more tags meet in a batch than one can hold, which needs tags that neither the parser nor
    /// these routes made, the routes' tags are left off.
    pub fn split<'a>(&'a self, batch: RecordBatch, otherwise: &'a LogspaceName) -> Split<'a> {
        if batch.is_empty() {
            return Split::default();
        }
        if let Some(routes) = self.unconditional(&batch) {
            let parts = self.hand_on(batch, &routes, otherwise);
            return Split { parts, dropped: 0 };
        }
        let mut runner = self.runner();
        let split = self.walk(&batch, &mut runner, otherwise);
        self.counters.add(&mut runner.counts);
        let mut runners = self.runners.lock().unwrap_or_else(PoisonError::into_inner);
        if runners.len() < RUNNERS_MAX {
            runners.push(runner);
        }
        split
    }

    /// What each route and step makes of a record; the same that [`Pipeline::split`] goes by. Nothing is
    /// counted; steps that remember records remember this one, too.
    pub fn trace<'a>(&'a self, record: RecordRef<'_>, otherwise: &'a LogspaceName) -> Trace<'a> {
        let mut batch = RecordBatch::new();
        let mut runner = self.runner();
        runner.recorder = Some(Recorder::new(&self.plan, record.source()));
        let split = match batch.push_record(record) {
            Ok(()) => self.walk(&batch, &mut runner, otherwise),
            Err(_) => Split::default(),
        };
        let recorder = runner.recorder.unwrap_or_default();
        recorder.finish(&self.plan, split)
    }

    fn runner(&self) -> Runner {
        let mut runners = self.runners.lock().unwrap_or_else(PoisonError::into_inner);
        runners.pop().unwrap_or_else(|| {
            let mut runner = Runner::new(&self.plan);
            runner.scratch.context = self.context.clone();
            runner
        })
    }

    /// The routes that take all of the batch, where that can be said without looking at a record.
    fn unconditional(&self, batch: &RecordBatch) -> Option<Vec<&PlannedRoute>> {
        if self.plan.routes.is_empty() {
            return Some(Vec::new());
        }
        let [source] = batch.sources() else {
            return None;
        };
        if self.plan.has_work() {
            let mut of_source = self.plan.routes.iter();
            let is_concerned = of_source.any(|route| route.takes_from(source));
            return (!is_concerned).then(Vec::new);
        }
        let mut taking = Vec::new();
        for route in &self.plan.routes {
            if route.takes_from(source) {
                taking.push(route);
                if route.is_final {
                    break;
                }
            }
        }
        Some(taking)
    }

    /// The whole batch to each of the routes' logspaces.
    fn hand_on<'a>(
        &'a self,
        mut batch: RecordBatch,
        routes: &[&PlannedRoute],
        otherwise: &'a LogspaceName,
    ) -> Vec<Part<'a>> {
        let mut targets: Vec<(usize, u64)> = Vec::new();
        for route in routes {
            let Some(logspace) = route.logspace else {
                continue;
            };
            let tags = tag_set(&mut batch, &route.tags);
            match targets.iter_mut().find(|(known, _)| *known == logspace) {
                Some((_, known)) => *known |= tags,
                None => targets.push((logspace, tags)),
            }
        }
        let (last, others) = match targets.split_last() {
            Some((last, others)) => (*last, others),
            None => ((self.plan.logspaces.len(), 0), &[][..]),
        };
        let len = batch.len();
        let part = |(logspace, tags): (usize, u64), mut batch: RecordBatch| {
            if tags != 0 {
                (0..batch.len()).for_each(|row| batch.add_tags(row, tags));
            }
            Part {
                logspace: self.logspace(logspace, otherwise),
                batch,
                firsts: 0,
            }
        };
        let mut parts: Vec<_> = others
            .iter()
            .map(|target| part(*target, batch.clone()))
            .collect();
        parts.push(part(last, batch));
        if let Some(first) = parts.first_mut() {
            first.firsts = len;
        }
        parts
    }

    fn logspace<'a>(&'a self, at: usize, otherwise: &'a LogspaceName) -> &'a LogspaceName {
        self.plan.logspaces.get(at).unwrap_or(otherwise)
    }

    /// Each record through the routes.
    fn walk<'a>(
        &'a self,
        batch: &RecordBatch,
        runner: &mut Runner,
        otherwise: &'a LogspaceName,
    ) -> Split<'a> {
        let mut walk = Walk {
            batch: batch.names_only(),
            deliveries: Deliveries::default(),
            split: Split::default(),
            otherwise,
        };
        for record in batch.iter() {
            if walk.batch.push_record(record).is_err() {
                // Steps have made the records larger: those so far go first.
                walk.hand_over(self);
                // A record of a batch fits an empty one.
                _ = walk.batch.push_record(record);
            }
            self.walk_record(&mut walk, runner);
        }
        walk.hand_over(self);
        walk.split
    }

    /// The last record of the walk through the routes.
    fn walk_record(&self, walk: &mut Walk<'_>, runner: &mut Runner) {
        let routes = self.plan.routes.iter().enumerate();
        let (fallbacks, others) = (
            routes.clone().filter(|(_, route)| route.is_fallback),
            routes.filter(|(_, route)| !route.is_fallback),
        );
        let mut is_dropped = false;
        for (index, route) in others.chain(fallbacks) {
            if route.is_fallback && walk.deliveries.is_sent() {
                break;
            }
            let flow = self.walk_route(route, walk, runner);
            if let Some(recorder) = &mut runner.recorder {
                recorder.route(index, flow);
            }
            is_dropped = flow == Flow::Dropped;
            if is_dropped || (flow == Flow::Goes && route.is_final) {
                break;
            }
        }
        walk.end_record(self, is_dropped);
    }

    fn walk_route(&self, route: &PlannedRoute, walk: &mut Walk<'_>, runner: &mut Runner) -> Flow {
        let Some(record) = walk.batch.len().checked_sub(1) else {
            return Flow::Rejected;
        };
        let is_met = walk.batch.get(record).is_some_and(|record| {
            route.takes_from(record.source()) && runner.meets(route.condition, record)
        });
        if !is_met {
            return Flow::Rejected;
        }
        if !route.steps.is_empty() {
            // What was sent somewhere stays as it is: the steps have a copy.
            let is_copy = walk.deliveries.has(record) && walk.batch.repeat_last().is_ok();
            let flow = match walk.batch.edit_last() {
                Some(mut editor) => runner.run(&route.steps, &mut editor),
                None => Flow::Rejected,
            };
            if flow != Flow::Goes {
                if is_copy {
                    walk.batch.pop();
                }
                return flow;
            }
        }
        if let Some(logspace) = route.logspace {
            let tags = tag_set(&mut walk.batch, &route.tags);
            let row = walk.batch.len() - 1;
            walk.deliveries.send(row, logspace, tags);
        } else if let Some(mut editor) = walk.batch.edit_last() {
            for tag in &route.tags {
                _ = editor.add_tag(tag);
            }
        }
        Flow::Goes
    }
}

impl<'a> Walk<'a> {
    /// The record has been through all routes, or was dropped on the way.
    fn end_record(&mut self, pipeline: &Pipeline, is_dropped: bool) {
        let last = self.batch.len().saturating_sub(1);
        if !self.deliveries.is_sent() {
            if is_dropped {
                self.split.dropped += 1;
            } else {
                let source = pipeline.plan.logspaces.len();
                self.deliveries.send(last, source, 0);
            }
        }
        // What was changed behind the last logspace is nowhere kept.
        if !self.deliveries.has(last) {
            self.batch.pop();
        }
        self.deliveries.next_record();
    }

    /// What has been looked at goes to its logspaces.
    fn hand_over(&mut self, pipeline: &'a Pipeline) {
        let empty = self.batch.names_only();
        let batch = std::mem::replace(&mut self.batch, empty);
        let otherwise = self.otherwise;
        let parts = self
            .deliveries
            .take(batch, |at| pipeline.logspace(at, otherwise));
        self.split.parts.extend(parts);
    }
}

fn tag_set(batch: &mut RecordBatch, tags: &[String]) -> u64 {
    let bits = tags.iter().filter_map(|tag| batch.tag_bit(tag).ok());
    bits.fold(0, |set, bit| set | bit)
}

#[cfg(test)]
mod tests;
