//! Waiting for what the GPU answers later. Natively the device is polled until it has; in the browser the answer comes
//! through the event loop, and only the embedder can wait for that: it says how with [`set_waiter`].

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// Work to be waited for.
pub type Job = Pin<Box<dyn Future<Output = ()>>>;
/// Runs a job to its end and comes back then; `false` when it can't.
pub type Waiter = fn(Job) -> bool;

thread_local! {
    static WAITER: RefCell<Option<Waiter>> = const { RefCell::new(None) };
}

/// How to wait in the browser.
pub fn set_waiter(waiter: Waiter) {
    WAITER.set(Some(waiter));
}

/// Whether anything can be waited for here.
pub(super) fn can_wait() -> bool {
    cfg!(not(target_family = "wasm")) || WAITER.with_borrow(Option::is_some)
}

/// The answer of a future; `poll` drives the device meanwhile. `None` when there is no way to wait.
pub(super) fn wait<T: 'static>(future: impl Future<Output = T> + 'static, poll: impl Fn()) -> Option<T> {
    let answer = Rc::new(RefCell::new(None));
    let mut job: Job = Box::pin({
        let answer = answer.clone();
        async move {
            let got = future.await;
            *answer.borrow_mut() = Some(got);
        }
    });
    // What is there already needs no waiting.
    let mut at_once = Context::from_waker(Waker::noop());
    if job.as_mut().poll(&mut at_once).is_pending() {
        match WAITER.with_borrow(|w| *w) {
            Some(waiter) => drop(waiter(job)),
            None if cfg!(target_family = "wasm") => return None,
            None => {
                while job.as_mut().poll(&mut at_once).is_pending() {
                    poll();
                    std::thread::yield_now();
                }
            }
        }
    }
    answer.take()
}

struct Slot<T> {
    value: Option<T>,
    waker: Option<Waker>,
}

/// A value that a callback will bring.
pub(super) struct Later<T>(Arc<Mutex<Slot<T>>>);

impl<T> Clone for Later<T> {
    fn clone(&self) -> Self {
        Later(self.0.clone())
    }
}

impl<T> Later<T> {
    pub fn new() -> Self {
        Later(Arc::new(Mutex::new(Slot { value: None, waker: None })))
    }
    pub fn bring(&self, value: T) {
        let Ok(mut slot) = self.0.lock() else { return };
        slot.value = Some(value);
        if let Some(waker) = slot.waker.take() {
            waker.wake();
        }
    }
}

impl<T> Future for Later<T> {
    type Output = T;
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let Ok(mut slot) = self.0.lock() else { return Poll::Pending };
        match slot.value.take() {
            Some(value) => Poll::Ready(value),
            None => {
                slot.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}
