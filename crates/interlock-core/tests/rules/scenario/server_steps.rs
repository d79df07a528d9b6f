//! What happens to the server and its clocks in a table.

use super::span;
use super::words::Words;
use super::world::World;

impl World {
    /// What happens to the server and its clocks, and looking at it.
    pub(super) fn outside_verb(&mut self, verb: &str, words: Words<'_>) -> String {
        match verb {
            "wall" => self.set_wall(words),
            "sleep" => self.sleep(words),
            "begin" => self.begin(words),
            "down" => self.down(words),
            "up" => self.come_up(words, 0),
            "crash" => self.crash(words),
            "restore" => {
                self.die(0);
                self.come_up(words, 1)
            }
            _ => self.look(verb, words),
        }
    }

    /// `wall +1h` or `wall -1h`: somebody sets the wall clock.
    pub(super) fn set_wall(&mut self, mut words: Words<'_>) -> String {
        let text = words.need("how far");
        let ms = i64::try_from(span::parse(&text[1..])).expect("a span");
        self.wall_shift += if text.starts_with('-') { -ms } else { ms };
        let woken = self.advance(self.at);
        let shown = woken.iter().map(|(_, wake)| self.show_wake(wake));
        shown.collect::<Vec<_>>().join("; ")
    }

    /// `sleep SPAN`: time passes and nobody ticks, as when the machine was suspended.
    pub(super) fn sleep(&mut self, mut words: Words<'_>) -> String {
        self.at += span::parse(words.need("how long"));
        self.late = true;
        String::new()
    }

    /// `begin DAYS`: the wall clock begins so many days after 2026-01-01. First row only.
    pub(super) fn begin(&mut self, mut words: Words<'_>) -> String {
        assert_eq!(self.log.len(), 1, "begin must come first");
        let days: u64 = words.need("days").parse().expect("days");
        *self = World::beginning(days);
        "done".to_owned()
    }

    pub(super) fn down(&mut self, words: Words<'_>) -> String {
        words.done();
        self.die(0);
        "done".to_owned()
    }

    pub(super) fn come_up(&mut self, words: Words<'_>, generations: u32) -> String {
        words.done();
        self.generation += generations;
        let wakes = self.open();
        self.with_wakes("open".to_owned(), &wakes)
    }

    /// `crash [lose=n]`: dies and comes back at once, without the last n records.
    pub(super) fn crash(&mut self, mut words: Words<'_>) -> String {
        let lost = words
            .option("lose")
            .map_or(0, |text| text.parse().expect("a number"));
        self.die(lost);
        self.come_up(words, 0)
    }
}
