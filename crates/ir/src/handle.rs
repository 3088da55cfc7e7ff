//! How a recorder is held, and how an expression finds its recorder again: by a reference, or in a page,
//! where every byte of code is downloaded, by the number of the recorder beside that of the node. One
//! word instead of two goes in and out of functions without a detour through memory: the recorder's wasm
//! is 9 % smaller after gzip.
#[cfg(brasa_page)]
pub(crate) use packed::{Handle, Held};
#[cfg(not(brasa_page))]
pub(crate) use plain::{Handle, Held};

#[cfg(not(brasa_page))]
mod plain {
    use crate::graph::Id;
    use crate::recorder::{Recorder, State};

    pub(crate) type Held = State;

    #[derive(Clone, Copy)]
    pub(crate) struct Handle<'g> {
        g: &'g Recorder,
        id: Id,
    }

    impl<'g> Handle<'g> {
        pub(crate) fn new(g: &'g Recorder, id: Id) -> Handle<'g> {
            Handle { g, id }
        }

        pub(crate) fn recorder(self) -> &'g Recorder {
            self.g
        }

        pub(crate) fn id(self) -> Id {
            self.id
        }
    }
}

#[cfg(brasa_page)]
mod packed {
    use crate::graph::Id;
    use crate::recorder::{Recorder, State};
    use std::cell::RefCell;
    use std::marker::PhantomData;
    use std::num::NonZeroU32;
    use std::ops::Deref;

    /// How many recorders there are at most, each with a number of its own.
    const MOST: usize = 256;

    /// What handles lead to: the recorder of each number.
    static RECORDERS: [Recorder; MOST] = {
        let mut all = [const { Recorder(Held(0)) }; MOST];
        let mut n = 0;
        while n < MOST {
            all[n].0.0 = n as u8;
            n += 1;
        }
        all
    };

    thread_local! {
        /// They live as long as the page, and serve one owner after the other.
        static STATES: RefCell<Vec<&'static State>> = const { RefCell::new(Vec::new()) };
        static FREE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }

    /// The number of a recorder.
    pub(crate) struct Held(u8);

    impl Default for Held {
        fn default() -> Held {
            let new = || {
                STATES.with_borrow_mut(|states| {
                    states.push(Box::leak(Box::default()));
                    u8::try_from(states.len() - 1).expect("too many recordings at once")
                })
            };
            Held(FREE.with_borrow_mut(Vec::pop).unwrap_or_else(new))
        }
    }

    impl Deref for Held {
        type Target = State;
        #[inline(never)]
        fn deref(&self) -> &State {
            STATES.with_borrow(|states| states[self.0 as usize])
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            self.reset();
            FREE.with_borrow_mut(|free| free.push(self.0));
        }
    }

    /// The recorder's number in the lowest 8 bits, then the node's, counted from one: 16 million nodes,
    /// more than the memory of a page can hold.
    #[derive(Clone, Copy)]
    pub(crate) struct Handle<'g>(NonZeroU32, PhantomData<&'g Recorder>);

    impl<'g> Handle<'g> {
        #[inline(never)]
        pub(crate) fn new(g: &'g Recorder, id: Id) -> Handle<'g> {
            let node = (id.index() as u32 + 1).checked_mul(MOST as u32).expect("too many nodes");
            let packed = NonZeroU32::new(node | u32::from(g.0.0));
            Handle(packed.expect("nodes count from one"), PhantomData)
        }

        pub(crate) fn recorder(self) -> &'g Recorder {
            &RECORDERS[self.0.get() as usize % MOST]
        }

        pub(crate) fn id(self) -> Id {
            Id::at(self.0.get() / MOST as u32 - 1)
        }
    }
}
