//! A load that keeps to one core while it lasts, so that it does not take turns with the server on
//! one core while another one idles. The server runs wherever the system puts it.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// This thread keeps to one core until this is dropped.
pub(crate) struct OneCore {
    before: CpuSet,
}

impl OneCore {
    /// The last one that this thread may use.
    pub(crate) fn keep_to() -> anyhow::Result<Self> {
        let before = sched_getaffinity(None)?;
        let last = (0..CpuSet::MAX_CPU).rfind(|&core| before.is_set(core));
        let mut one = CpuSet::new();
        one.set(last.ok_or_else(|| anyhow::anyhow!("there is no core to run on"))?);
        sched_setaffinity(None, &one)?;
        Ok(Self { before })
    }
}

impl Drop for OneCore {
    fn drop(&mut self) {
        let _as_before = sched_setaffinity(None, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_its_cores_back_afterwards() {
        let before = sched_getaffinity(None).expect("the cores are known");
        let one = OneCore::keep_to().expect("there is a core");
        let during = sched_getaffinity(None).expect("the cores are known");
        assert_eq!(during.count(), 1);
        drop(one);
        assert_eq!(sched_getaffinity(None).expect("as before"), before);
    }
}
