//! What is asked of a cell and not decided yet.
//!
//! Made for many who ask and one that decides: it takes all that has arrived at once, and is woken
//! only if it sleeps, by somebody who has let go of the lock by then. (A channel wakes it while it
//! holds a lock that whoever wakes up needs first, and costs a switch between threads twice.)

use super::ask::Ask;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Where requests come in.
pub(super) struct Door(Arc<Inbox>);

/// Where they are taken out.
pub(super) struct Asks {
    inbox: Arc<Inbox>,
    /// Taken out together, and given out one by one.
    taken: RefCell<VecDeque<Ask>>,
}

/// Why a request did not come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shut {
    /// Too many are waiting.
    Full,
    /// Nobody takes them out any more.
    Gone,
}

/// Why there is no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nothing {
    /// None has come.
    Yet,
    /// None will come.
    Ever,
}

struct Inbox {
    state: Mutex<State>,
    arrived: Condvar,
    max: usize,
}

#[derive(Default)]
struct State {
    asks: VecDeque<Ask>,
    sleeps: bool,
    /// Nobody can ask any more.
    closed: bool,
    /// Nobody takes anything out any more.
    gone: bool,
}

/// An inbox for so many requests.
pub(super) fn inbox(max: usize) -> (Door, Asks) {
    let inbox = Arc::new(Inbox {
        state: Mutex::default(),
        arrived: Condvar::new(),
        max,
    });
    let asks = Asks {
        inbox: inbox.clone(),
        taken: RefCell::default(),
    };
    (Door(inbox), asks)
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic is done under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Door {
    /// Leaves a request.
    pub(super) fn leave(&self, ask: Ask) -> Result<(), Shut> {
        let mut state = self.0.lock();
        if state.gone {
            return Err(Shut::Gone);
        }
        if state.asks.len() >= self.0.max {
            return Err(Shut::Full);
        }
        state.asks.push_back(ask);
        let sleeps = std::mem::take(&mut state.sleeps);
        drop(state);
        if sleeps {
            self.0.arrived.notify_one();
        }
        Ok(())
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.arrived.notify_one();
    }
}

impl Asks {
    /// The next request, if one has come.
    pub(super) fn try_next(&self) -> Result<Ask, Nothing> {
        let mut taken = self.taken.borrow_mut();
        if let Some(ask) = taken.pop_front() {
            return Ok(ask);
        }
        let mut state = self.inbox.lock();
        std::mem::swap(&mut *taken, &mut state.asks);
        taken.pop_front().ok_or(match state.closed {
            true => Nothing::Ever,
            false => Nothing::Yet,
        })
    }

    /// The next request; waits for so long, or as long as it takes.
    pub(super) fn next_within(&self, time: Option<Duration>) -> Result<Ask, Nothing> {
        let until = time.map(|time| Instant::now() + time);
        loop {
            match self.try_next() {
                Err(Nothing::Yet) => {}
                answer => return answer,
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Err(Nothing::Yet);
            }
            self.sleep(left);
        }
    }

    fn sleep(&self, time: Option<Duration>) {
        let mut state = self.inbox.lock();
        if !state.asks.is_empty() || state.closed {
            return;
        }
        state.sleeps = true;
        let arrived = &self.inbox.arrived;
        let mut state = match time {
            None => arrived.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some(time) => {
                let woken = arrived.wait_timeout(state, time);
                woken.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        state.sleeps = false;
    }
}

impl Drop for Asks {
    fn drop(&mut self) {
        let mut state = self.inbox.lock();
        state.gone = true;
        let asks = std::mem::take(&mut state.asks);
        drop(state);
        // Those who asked notice that nobody will answer.
        drop(asks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    fn ask() -> Ask {
        let (to, _) = oneshot::channel();
        Ask::Settle { to }
    }

    #[test]
    fn what_is_left_is_taken_out_in_order_up_to_a_limit() {
        let (door, asks) = inbox(2);
        let (to, mut first) = oneshot::channel();
        door.leave(Ask::Settle { to }).expect("there is room");
        door.leave(ask()).expect("there is room");
        assert_eq!(door.leave(ask()), Err(Shut::Full));
        let Ok(Ask::Settle { to }) = asks.try_next() else {
            panic!("two were left");
        };
        to.send(Ok(())).expect("the first was taken");
        assert_eq!(first.try_recv(), Ok(Ok(())));
        assert!(asks.try_next().is_ok());
        assert_eq!(asks.try_next().err(), Some(Nothing::Yet));
        let short = Duration::from_millis(1);
        assert_eq!(asks.next_within(Some(short)).err(), Some(Nothing::Yet));
        drop(door);
        assert_eq!(asks.next_within(None).err(), Some(Nothing::Ever));
    }

    #[test]
    fn a_sleeper_is_woken_by_each_that_comes() {
        let (door, asks) = inbox(10);
        let sleeper = std::thread::spawn(move || {
            let mut taken = 0;
            while asks.next_within(None).is_ok() {
                taken += 1;
            }
            taken
        });
        for _ in 0..100 {
            door.leave(ask()).expect("there is room");
            std::thread::sleep(Duration::from_micros(300));
        }
        drop(door);
        assert_eq!(sleeper.join().expect("it ends"), 100);
    }

    #[test]
    fn nothing_is_left_where_nobody_takes_it_out() {
        let (door, asks) = inbox(2);
        let (to, mut answer) = oneshot::channel();
        door.leave(Ask::Settle { to }).expect("there is room");
        drop(asks);
        assert!(answer.try_recv().is_err(), "it is known to be lost");
        assert_eq!(door.leave(ask()), Err(Shut::Gone));
    }
}
