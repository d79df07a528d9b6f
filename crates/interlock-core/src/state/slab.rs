//! Storage by small number that never moves what it holds.

const CHUNK: usize = 1024;

/// Values by small number; numbers of removed values are used again.
pub(crate) struct Slab<T> {
    chunks: Vec<Vec<Option<T>>>,
    free: Vec<u32>,
    len: usize,
}

impl<T> Slab<T> {
    pub(crate) fn new() -> Self {
        Self {
            chunks: Vec::new(),
            free: Vec::new(),
            len: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn insert(&mut self, value: T) -> u32 {
        self.len += 1;
        if let Some(index) = self.free.pop() {
            *self.slot(index) = Some(value);
            return index;
        }
        if self.chunks.last().is_none_or(|chunk| chunk.len() == CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        let before = (self.chunks.len() - 1) * CHUNK;
        let chunk = self.chunks.last_mut().expect("one was just pushed");
        chunk.push(Some(value));
        u32::try_from(before + chunk.len() - 1).expect("fewer than 2^32 values")
    }

    pub(crate) fn contains(&self, index: u32) -> bool {
        let chunk = self.chunks.get(index as usize / CHUNK);
        let slot = chunk.and_then(|chunk| chunk.get(index as usize % CHUNK));
        slot.is_some_and(Option::is_some)
    }

    pub(crate) fn get(&self, index: u32) -> &T {
        self.chunks[index as usize / CHUNK][index as usize % CHUNK]
            .as_ref()
            .expect("an index lives as long as its value")
    }

    pub(crate) fn get_mut(&mut self, index: u32) -> &mut T {
        self.slot(index)
            .as_mut()
            .expect("an index lives as long as its value")
    }

    pub(crate) fn remove(&mut self, index: u32) -> T {
        let value = self.slot(index).take().expect("removed once");
        self.free.push(index);
        self.len -= 1;
        value
    }

    /// All values in order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.from(0)
    }

    /// The values from this number on, in order.
    pub(crate) fn from(&self, from: u32) -> impl Iterator<Item = (u32, &T)> {
        let numbers = from..(self.chunks.len() * CHUNK) as u32;
        numbers.filter_map(|index| {
            let chunk = self.chunks.get(index as usize / CHUNK)?;
            let slot = chunk.get(index as usize % CHUNK)?;
            Some((index, slot.as_ref()?))
        })
    }

    fn slot(&mut self, index: u32) -> &mut Option<T> {
        &mut self.chunks[index as usize / CHUNK][index as usize % CHUNK]
    }
}
