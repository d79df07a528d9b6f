//! Nodes are equal: states that differ only in their numbers behave alike.

use crate::state::{Append, At, Node, Row, State};

/// Everything that a state says of one node.
type About = (Row, Node, bool, Option<Append>, Option<At>);

impl<const N: usize> State<N> {
    /// Numbers the nodes by what there is to say of them.
    pub fn number_anew(&mut self) {
        let mut order: [u8; N] = std::array::from_fn(|at| at as u8);
        order.sort_by_key(|node| self.about(*node));
        if order.is_sorted() {
            return;
        }
        let mut number = [0; N];
        for (at, node) in order.into_iter().enumerate() {
            number[node as usize] = at as u8;
        }
        let number = |node: u8| number[node as usize];
        let before = *self;
        for (at, node) in order.into_iter().enumerate() {
            self.rows[at] = before.rows[node as usize];
            self.nodes[at] = before.nodes[node as usize];
        }
        self.owner = self.owner.map(number);
        for append in self.appends.iter_mut().flatten() {
            append.from = append.from.map(number);
        }
        if let Some(beat) = &mut self.beat {
            beat.at = match beat.at {
                At::Network => At::Network,
                At::Checked(node) => At::Checked(number(node)),
            };
        }
        self.tidy();
    }

    fn about(&self, node: u8) -> About {
        let append = self.append_of(node).and_then(|at| self.appends[at]);
        let append = append.map(|append| Append {
            from: None,
            ..append
        });
        let at = self.beat.and_then(|beat| match beat.at {
            At::Checked(at) if at == node => Some(At::Checked(0)),
            _ => None,
        });
        let (row, own) = (self.rows[node as usize], self.nodes[node as usize]);
        (row, own, self.owner == Some(node), append, at)
    }
}
