//! The scenarios there are; their data lies in bench/scenarios.

mod collect;
mod destinations;
mod durable;
mod planned;
mod questions;
mod restart;
mod search;
mod space;
mod trial;
mod udp;
mod users;

use anyhow::Result;

use crate::scenario::Scenario;

use collect::Collect;
use destinations::Destinations;
use durable::Durable;
use planned::Planned;
use restart::Restart;
use search::Search;
use space::Space;
use udp::Udp;
use users::Users;

/// All of them, in the order of the report.
pub(crate) fn all() -> Result<Vec<Box<dyn Scenario>>> {
    Ok(vec![
        Box::new(Collect::new()?),
        Box::new(Search::new()?),
        Box::new(Users::new()?),
        Box::new(Space::new()?),
        Box::new(Udp::new()?),
        Box::new(Durable::new()?),
        Box::new(Restart::new()?),
        Box::new(Planned::new(include_str!(
            "../../scenarios/processing.toml"
        ))?),
        Box::new(Destinations::new()?),
    ])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::size::Size;

    #[test]
    fn every_file_is_read_and_no_two_steps_are_alike() {
        for scenario in all().unwrap() {
            for size in [Size::Quick, Size::Full] {
                let steps = scenario.steps(size).unwrap();
                let mut seen = HashSet::new();
                for step in &steps {
                    let place = (&step.table, &step.case, &step.subject);
                    assert!(seen.insert(place), "{step:?} is there twice");
                }
            }
        }
    }
}
