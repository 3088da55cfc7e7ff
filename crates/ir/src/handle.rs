//! The storage of a recorder's state, and the handle by which an expression finds its recorder. A
//! handle is a reference and a node id. In a page, where code size is download size, it is one
//! `u32` that packs the recorder's index and the node's: passed in a register instead of through
//! memory, it makes the recorder's wasm 9 % smaller after gzip.
#[cfg(brasa_page)]
pub(crate) use packed::{Handle, StateRef};
#[cfg(not(brasa_page))]
pub(crate) use plain::{Handle, StateRef};

#[cfg(not(brasa_page))]
mod plain {
    use crate::graph::Id;
    use crate::recorder::{Recorder, RecorderState};

    pub(crate) type StateRef = RecorderState;

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
    use crate::recorder::{Recorder, RecorderState};
    use std::cell::RefCell;
    use std::marker::PhantomData;
    use std::num::NonZeroU32;
    use std::ops::Deref;

    /// How many recorders can exist at once: an index has 8 bits.
    const MAX_RECORDERS: usize = 256;

    /// The recorder of each index, which handles refer to.
    static RECORDERS: [Recorder; MAX_RECORDERS] = {
        let mut all = [const { Recorder(StateRef(0)) }; MAX_RECORDERS];
        let mut n = 0;
        while n < MAX_RECORDERS {
            all[n].0.0 = n as u8;
            n += 1;
        }
        all
    };

    thread_local! {
        /// States are never freed but reused by later recorders.
        static STATES: RefCell<Vec<&'static RecorderState>> = const { RefCell::new(Vec::new()) };
        /// Indices of states that no recorder uses.
        static FREE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }

    /// The index of a recorder's state.
    pub(crate) struct StateRef(u8);

    impl Default for StateRef {
        fn default() -> StateRef {
            let new = || {
                STATES.with_borrow_mut(|states| {
                    states.push(Box::leak(Box::default()));
                    u8::try_from(states.len() - 1).expect("too many recordings at once")
                })
            };
            StateRef(FREE.with_borrow_mut(Vec::pop).unwrap_or_else(new))
        }
    }

    impl Deref for StateRef {
        type Target = RecorderState;
        #[inline(never)]
        fn deref(&self) -> &RecorderState {
            STATES.with_borrow(|states| states[self.0 as usize])
        }
    }

    impl Drop for StateRef {
        fn drop(&mut self) {
            self.reset();
            FREE.with_borrow_mut(|free| free.push(self.0));
        }
    }

    /// The recorder's index in the lowest 8 bits; above them the node's index plus one: up to 16
    /// million nodes, more than the memory of a page can hold.
    #[derive(Clone, Copy)]
    pub(crate) struct Handle<'g>(NonZeroU32, PhantomData<&'g Recorder>);

    impl<'g> Handle<'g> {
        #[inline(never)]
        pub(crate) fn new(g: &'g Recorder, id: Id) -> Handle<'g> {
            let node =
                (id.index() as u32 + 1).checked_mul(MAX_RECORDERS as u32).expect("too many nodes");
            let packed = NonZeroU32::new(node | u32::from(g.0.0));
            Handle(packed.expect("nodes count from one"), PhantomData)
        }

        pub(crate) fn recorder(self) -> &'g Recorder {
            &RECORDERS[self.0.get() as usize % MAX_RECORDERS]
        }

        pub(crate) fn id(self) -> Id {
            Id::at(self.0.get() / MAX_RECORDERS as u32 - 1)
        }
    }
}
