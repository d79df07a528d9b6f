//! What a waiting task costs in memory, payload aside: bytes asked of the allocator and kept, with
//! the spare room of tables and the names of resources.

use super::scale::Scale;
use super::world::{KIND, World, submission};
use crate::report::{Figure, Unit};
use interlock_core::words::Due;

const BYTES_MOST: f64 = 400.0;

/// Bytes per waiting task, for several shapes of waiting.
pub(crate) fn figures(scale: &Scale) -> Vec<Figure> {
    let count = scale.memory;
    let ten = bytes_per_task(count, 10, None);
    let one = bytes_per_task(count, 1, None);
    let later = bytes_per_task(count, 10, Some(Due::In(86_400_000)));
    vec![
        Figure::at_most(
            format!("memory of {count} waiting tasks, 10 on a resource"),
            ten,
            Unit::Bytes,
            BYTES_MOST,
        ),
        Figure::info(
            format!("memory of {count} waiting tasks, 1 on a resource"),
            one,
            Unit::Bytes,
        ),
        Figure::info(
            format!("memory of {count} scheduled tasks"),
            later,
            Unit::Bytes,
        ),
    ]
}

fn bytes_per_task(count: u64, per_resource: u64, due: Option<Due>) -> f64 {
    let mut kept = None;
    let counted = allocation_counter::measure(|| {
        let mut world = World::new(&[KIND]);
        for number in 0..count {
            let resource = format!("repository:{:06}", number / per_resource);
            let mut task = submission(KIND, &resource, "");
            task.due = due;
            world.submit(task);
        }
        kept = Some(world);
    });
    let waiting = kept.map_or(0, |world| world.waiting());
    assert_eq!(waiting, count, "all of them wait");
    counted.bytes_current as f64 / count as f64
}
