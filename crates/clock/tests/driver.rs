//! Tasks run by threads. Each test waits for what must come, and for nothing else.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};

use clock::{Callback, Interval, PanicHook, Scheduler, SystemClock, THREADS_DEFAULT};
use event::Time;

fn scheduler() -> Scheduler {
    Scheduler::new(Arc::new(SystemClock::new()))
}

fn quiet() -> PanicHook {
    Arc::new(|message| panic!("a task panicked: {message}"))
}

fn told<T: Send + 'static>() -> (Arc<Mutex<Sender<T>>>, Receiver<T>) {
    let (sender, receiver) = channel();
    (Arc::new(Mutex::new(sender)), receiver)
}

fn say(sender: &Arc<Mutex<Sender<u32>>>, word: u32) -> Callback {
    let sender = sender.clone();
    Arc::new(move || {
        let _ = sender.lock().unwrap().send(word);
    })
}

const MILLISECOND: Time = Time {
    us: 1000,
    kind: event::TimeKind::Ratio,
};

#[test]
fn tasks_start_in_order_of_time() {
    let scheduler = scheduler();
    let (sender, heard) = told();
    let now = scheduler.clock().now();
    for word in [3, 1, 2] {
        let at = Time::exact(now.us - 10 + i64::from(word));
        scheduler.once_at(at, say(&sender, word));
    }
    let driver = scheduler.start(1, quiet()).unwrap();
    assert_eq!(heard.iter().take(3).collect::<Vec<_>>(), [1, 2, 3]);
    driver.stop();
}

#[test]
fn a_task_scheduled_later_for_an_earlier_time_wakes_a_thread() {
    let scheduler = scheduler();
    let (sender, heard) = told();
    let driver = scheduler.start(THREADS_DEFAULT, quiet()).unwrap();
    scheduler.after(Time::from_s(1_000_000), say(&sender, 9));
    scheduler.after(MILLISECOND, say(&sender, 1));
    assert_eq!(heard.recv(), Ok(1));
    driver.stop();
    assert_eq!(scheduler.len(), 1);
}

#[test]
fn a_slow_task_holds_up_no_other() {
    let scheduler = scheduler();
    let both = Arc::new(Barrier::new(3));
    for _ in 0..2 {
        let both = both.clone();
        let callback: Callback = Arc::new(move || {
            both.wait();
        });
        scheduler.after(Time::from_s(0), callback);
    }
    let driver = scheduler.start(2, quiet()).unwrap();
    both.wait();
    driver.stop();
}

#[test]
fn a_periodic_task_survives_its_panics() {
    let scheduler = scheduler();
    let (sender, heard) = told();
    let on_panic: PanicHook =
        Arc::new(move |message| sender.lock().unwrap().send(message.to_owned()).unwrap());
    let every = Interval::from_time(MILLISECOND).unwrap();
    scheduler.every(
        every,
        Time::from_s(0),
        Arc::new(|| panic!("tick {}", "tock")),
    );
    let driver = scheduler.start(1, on_panic).unwrap();
    assert_eq!(heard.iter().take(3).collect::<Vec<_>>(), ["tick tock"; 3]);
    driver.stop();
    assert_eq!(scheduler.len(), 1);
}

#[test]
fn a_task_may_stop_its_own_driver() {
    let scheduler = scheduler();
    let (sender, heard) = told();
    let slot = Arc::new(Mutex::new(None));
    let (driver, done) = (slot.clone(), say(&sender, 1));
    let started = Arc::new(Barrier::new(2));
    let wait = started.clone();
    let stop: Callback = Arc::new(move || {
        wait.wait();
        drop(driver.lock().unwrap().take());
        done();
    });
    scheduler.after(Time::from_s(0), stop);
    *slot.lock().unwrap() = Some(scheduler.start(2, quiet()).unwrap());
    started.wait();
    assert_eq!(heard.recv(), Ok(1));
}
