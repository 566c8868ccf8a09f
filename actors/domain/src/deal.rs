//! The deal: the secret assignment of cells to tickets. Its hash is published before the first
//! sale, and its seed after the result (decision K-1).

use std::fmt;

use chacha20::cipher::{KeyIvInit, StreamCipher};
use sha2::{Digest, Sha256};

use crate::{Cell, DrawId, Serial, TICKETS};

const DOMAIN_SEPARATOR: &[u8] = b"football-doubles-v1";

/// The secret seed of a deal: 32 bytes from the operating system's random generator. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Seed(pub [u8; 32]);

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(secret)")
    }
}

impl Seed {
    /// Returns the commitment, `SHA-256("football-doubles-v1" ‖ draw number in decimal ASCII ‖
    /// seed)`. It is published when the draw is created.
    pub fn commitment(&self, draw: DrawId) -> [u8; 32] {
        Sha256::new()
            .chain_update(DOMAIN_SEPARATOR)
            .chain_update(draw.to_string())
            .chain_update(self.0)
            .finalize()
            .into()
    }
}

/// The assignment of cells to the tickets of one draw: ticket `k` has the cell `cells[k - 1]`.
#[derive(Clone, PartialEq, Eq)]
pub struct Deal {
    seed: Seed,
    cells: [u8; TICKETS as usize],
}

impl Deal {
    /// Shuffles the cells with Fisher–Yates, from the last index down. Each random index is a
    /// little-endian 32-bit word of the `ChaCha20` keystream (key = seed, nonce 0, counter 0).
    /// Words at or above the largest multiple of the number of possible indexes are rejected, so
    /// that all indexes are equally likely.
    pub fn new(seed: Seed) -> Deal {
        let mut keystream = chacha20::ChaCha20::new(&seed.0.into(), &[0; 12].into());
        let mut next_word = move || {
            let mut word = [0; 4];
            keystream.apply_keystream(&mut word);
            u32::from_le_bytes(word)
        };
        let mut cells: [u8; TICKETS as usize] = std::array::from_fn(|index| index as u8);
        for last in (1..cells.len()).rev() {
            let bound = last as u64 + 1;
            let limit = (1 << 32) / bound * bound;
            let word = loop {
                let word = u64::from(next_word());
                if word < limit {
                    break word;
                }
            };
            cells.swap(last, (word % bound) as usize);
        }
        Deal { seed, cells }
    }

    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// Returns the cell of a ticket. Until the deal is public, only the ticket's owner may see its
    /// cell.
    pub fn cell(&self, serial: Serial) -> Cell {
        Cell::from_grid_index(self.cells[usize::from(serial.number()) - 1])
    }

    /// Returns the ticket to which the deal assigns this cell.
    pub fn serial(&self, cell: Cell) -> Serial {
        Serial::all()
            .find(|serial| self.cell(*serial) == cell)
            .expect("a deal carries every cell once")
    }
}

impl fmt::Debug for Deal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Deal(secret)")
    }
}
