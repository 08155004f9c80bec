//! Routes and steps as they are run: flat numbers for conditions and steps in the place of expressions.

use std::sync::Arc;

use model::LogspaceName;
use query::{Matcher, Query};

use crate::counters::StepLabel;
use crate::limits::{STEP_DEPTH_MAX, STEPS_MAX};
use crate::route::{InvalidRoute, Route};
use crate::step::{Action, OnError, Step, Work};

/// Everything about a pipeline that does not change while it runs.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) routes: Vec<PlannedRoute>,
    /// Every logspace that a route leads to, each once, in order.
    pub(crate) logspaces: Vec<LogspaceName>,
    /// The conditions by their numbers, to be cloned for each thread.
    pub(crate) matchers: Vec<Matcher>,
    /// What each step is called, by its number.
    pub(crate) labels: Vec<StepLabel>,
    /// Actions that work by files.
    pub(crate) with_files: Vec<Arc<dyn Action>>,
}

/// A route.
#[derive(Debug)]
pub(crate) struct PlannedRoute {
    pub(crate) name: String,
    pub(crate) from: Vec<String>,
    pub(crate) condition: Option<usize>,
    pub(crate) steps: Vec<PlannedStep>,
    /// Index among the plan's logspaces.
    pub(crate) logspace: Option<usize>,
    pub(crate) tags: Vec<String>,
    pub(crate) is_final: bool,
    pub(crate) is_fallback: bool,
}

/// A step.
#[derive(Debug)]
pub(crate) struct PlannedStep {
    pub(crate) id: usize,
    pub(crate) condition: Option<usize>,
    pub(crate) work: PlannedWork,
    pub(crate) on_error: PlannedOnError,
}

/// As [`Work`].
#[derive(Debug)]
pub(crate) enum PlannedWork {
    Match(usize),
    Drop,
    If(usize, Vec<PlannedStep>, Vec<PlannedStep>),
    Try(Vec<PlannedStep>, Vec<PlannedStep>),
    Use(Vec<PlannedStep>),
    Act(Arc<dyn Action>),
}

/// As [`OnError`].
#[derive(Debug)]
pub(crate) enum PlannedOnError {
    Tag,
    Ignore,
    Reject,
    Drop,
    Steps(Vec<PlannedStep>),
}

impl Plan {
    pub(crate) fn new(routes: Vec<Route>) -> Result<Self, InvalidRoute> {
        let mut plan = Self::default();
        let mut logspaces: Vec<_> = routes
            .iter()
            .filter_map(|route| route.logspace.clone())
            .collect();
        logspaces.sort();
        logspaces.dedup();
        plan.logspaces = logspaces;
        for route in routes {
            let planned = plan.route(route)?;
            plan.routes.push(planned);
        }
        Ok(plan)
    }

    /// Whether a batch has to be looked at record by record.
    pub(crate) fn has_work(&self) -> bool {
        let is_plain = |route: &PlannedRoute| {
            route.condition.is_none() && route.steps.is_empty() && !route.is_fallback
        };
        !self.routes.iter().all(is_plain)
    }

    fn route(&mut self, route: Route) -> Result<PlannedRoute, InvalidRoute> {
        let at = |logspace| self.logspaces.iter().position(|known| *known == logspace);
        let logspace = route.logspace.and_then(at);
        let condition = route.matching.and_then(|query| self.condition(&query));
        let steps = self.steps(route.steps, (&route.name, ""), 0)?;
        Ok(PlannedRoute {
            condition,
            steps,
            logspace,
            name: route.name,
            from: route.from,
            tags: route.tags,
            is_final: route.is_final,
            is_fallback: route.is_fallback,
        })
    }

    /// The number of a condition; `None` for one that every record meets.
    fn condition(&mut self, query: &Query) -> Option<usize> {
        (*query != Query::all()).then(|| self.matcher(query))
    }

    fn matcher(&mut self, query: &Query) -> usize {
        self.matchers.push(Matcher::new(query));
        self.matchers.len() - 1
    }

    /// `path` is where the steps stand in the route: `2.else.` for those of the second step.
    fn steps(
        &mut self,
        steps: Vec<Step>,
        (route, path): (&str, &str),
        depth: usize,
    ) -> Result<Vec<PlannedStep>, InvalidRoute> {
        if depth > STEP_DEPTH_MAX {
            return Err(InvalidRoute::TooDeep(route.to_owned()));
        }
        let mut planned = Vec::with_capacity(steps.len());
        for (index, step) in steps.into_iter().enumerate() {
            let place = format!("{path}{}", index + 1);
            planned.push(self.step(step, (route, &place), depth)?);
        }
        Ok(planned)
    }

    fn step(
        &mut self,
        step: Step,
        (route, place): (&str, &str),
        depth: usize,
    ) -> Result<PlannedStep, InvalidRoute> {
        let id = self.labels.len();
        if id == STEPS_MAX {
            return Err(InvalidRoute::TooManySteps(route.to_owned()));
        }
        self.labels.push(StepLabel {
            route: route.to_owned(),
            place: place.to_owned(),
            kind: step.kind,
        });
        let below = |plan: &mut Self, steps: Vec<Step>, branch: &str| {
            plan.steps(steps, (route, &format!("{place}.{branch}")), depth + 1)
        };
        let condition = step.when.and_then(|query| self.condition(&query));
        let work = match step.work {
            Work::Match(query) => PlannedWork::Match(self.matcher(&query)),
            Work::Drop => PlannedWork::Drop,
            Work::If(query, then, otherwise) => PlannedWork::If(
                self.matcher(&query),
                below(self, then, "")?,
                below(self, otherwise, "else.")?,
            ),
            Work::Try(steps, otherwise) => {
                PlannedWork::Try(below(self, steps, "")?, below(self, otherwise, "else.")?)
            }
            Work::Use(steps) => PlannedWork::Use(below(self, steps, "")?),
            Work::Act(action) => {
                self.with_files
                    .extend(action.file().is_some().then(|| Arc::clone(&action)));
                PlannedWork::Act(action)
            }
        };
        let on_error = match step.on_error {
            OnError::Tag => PlannedOnError::Tag,
            OnError::Ignore => PlannedOnError::Ignore,
            OnError::Reject => PlannedOnError::Reject,
            OnError::Drop => PlannedOnError::Drop,
            OnError::Steps(steps) => PlannedOnError::Steps(below(self, steps, "on_error.")?),
        };
        Ok(PlannedStep {
            id,
            condition,
            work,
            on_error,
        })
    }
}

impl PlannedRoute {
    pub(crate) fn takes_from(&self, source: &str) -> bool {
        self.from.is_empty() || self.from.iter().any(|name| name == source)
    }
}
