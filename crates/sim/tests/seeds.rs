//! Five hundred seeds, and every call of a fixed workload going wrong once.

use sim::{Fault, Mishap, run_fixed, run_seed, side_by_side};

fn fixed(mishap: Mishap) -> Result<(), String> {
    match run_fixed(mishap) {
        Ok(_) => Ok(()),
        Err(failure) => Err(format!("{mishap:?}: {failure}")),
    }
}

fn calls() -> u64 {
    match run_fixed(Mishap::None) {
        Ok(calls) => calls,
        Err(failure) => panic!("nothing was to go wrong: {failure}"),
    }
}

#[track_caller]
fn assert_kept(result: Result<(), String>) {
    if let Err(what) = result {
        panic!("{what}");
    }
}

#[test]
fn no_seed_breaks_a_promise() {
    let run = |seed| run_seed(seed).map_err(|failure| failure.to_string());
    assert_kept(side_by_side(500, run));
}

#[test]
fn any_call_may_fail_once() {
    let faults = Fault::ALL.len() as u64;
    assert_kept(side_by_side(calls() * faults, |case| {
        let fault = Fault::ALL[(case % faults) as usize];
        fixed(Mishap::Fault(case / faults, 1, fault))
    }));
}

#[test]
fn any_three_calls_may_fail() {
    assert_kept(side_by_side(calls(), |case| {
        let fault = Fault::ALL[(case % Fault::ALL.len() as u64) as usize];
        fixed(Mishap::Fault(case, 3, fault))
    }));
}

#[test]
fn a_kill_in_any_call_and_then_a_power_cut_lose_nothing() {
    assert_kept(side_by_side(calls(), |case| fixed(Mishap::Kill(case))));
}

#[test]
fn the_power_may_go_in_any_call() {
    assert_kept(side_by_side(calls() * 3, |case| {
        let kept = [0, 50, 100][(case % 3) as usize];
        fixed(Mishap::PowerCut(case / 3, kept))
    }));
}

#[test]
fn two_processes_cannot_have_one_data_directory() {
    let clock = std::sync::Arc::new(sim::SimClock::new(model::Timestamp::from_seconds(0)));
    let machine = sim::Machine::new(0, std::sync::Arc::clone(&clock));
    let disk = machine.disk();
    let open = || store::Store::open(store::Options::new("/data"), disk.clone(), clock.clone());
    let first = open().expect("opens");
    assert!(matches!(open(), Err(store::Error::Locked { .. })));
    drop(first);
    open().expect("opens");
}
