//! Stores values under small numbers, which are reused.

pub(super) struct Slab<T> {
    items: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Slab<T> {
    pub(super) const fn new() -> Slab<T> {
        Slab { items: Vec::new(), free: Vec::new() }
    }

    pub(super) fn add(&mut self, item: T) -> u32 {
        if let Some(n) = self.free.pop() {
            self.items[n as usize] = Some(item);
            return n;
        }
        self.items.push(Some(item));
        self.items.len() as u32 - 1
    }

    pub(super) fn get_mut(&mut self, n: u32) -> Option<&mut T> {
        self.items.get_mut(n as usize)?.as_mut()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut().flatten()
    }

    /// Takes the value out temporarily; [`Slab::put`] returns it under the same number.
    pub(super) fn take(&mut self, n: u32) -> Option<T> {
        self.items.get_mut(n as usize)?.take()
    }

    pub(super) fn put(&mut self, n: u32, item: T) {
        self.items[n as usize] = Some(item);
    }

    /// Removes the value and frees its number.
    pub(super) fn remove(&mut self, n: u32) -> Option<T> {
        let item = self.take(n)?;
        self.free.push(n);
        Some(item)
    }

    pub(super) fn len(&self) -> usize {
        self.items.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_reused() {
        let mut slab = Slab::new();
        let (a, b) = (slab.add('a'), slab.add('b'));
        assert_eq!(slab.get_mut(a), Some(&mut 'a'));
        assert_eq!(slab.len(), 2);
        assert_eq!(slab.remove(a), Some('a'));
        assert_eq!((slab.remove(a), slab.len()), (None, 1));
        assert_eq!(slab.iter_mut().map(|item| *item).collect::<String>(), "b");
        assert_eq!(slab.add('c'), a);
        let taken = slab.take(b).expect("it is there");
        assert_eq!(slab.get_mut(b), None);
        slab.put(b, taken);
        assert_eq!(slab.get_mut(b), Some(&mut 'b'));
        assert_eq!(slab.get_mut(99), None);
    }
}
