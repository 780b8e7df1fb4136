//! How much an input expands to.
//!
//! Takes what goes in and what comes out of every layer of it, gives a fault where that is a bomb:
//! more than a fixed amount and many times what went in. Counts over the whole input, so that
//! overlapping members and bombs in bombs are told as well. Never looks at what a header declares.

use std::cell::Cell;
use std::io::{self, Read};

use super::stream::Fault;
use crate::limits::Limits;

/// What one input has expanded to so far.
#[derive(Debug)]
pub struct Meter {
    limits: Caps,
    went_in: Cell<u64>,
    /// What came out since the last bomb.
    came_out: Cell<u64>,
    members: Cell<u64>,
    bombs: Cell<u64>,
}

#[derive(Debug)]
struct Caps {
    expansion: u64,
    ratio: u64,
    bombs: u64,
    members: u64,
}

/// What a member costs at least, however small it is.
const MEMBER: u64 = 4 << 10;
/// How often what comes out is looked at: at every so many bytes of a layer, so that a bomb ends at
/// the same byte however it arrives.
const STEP: u64 = 1 << 20;
/// What went in counts in parts of this size: a decoder may take a few bytes sooner or later.
const PART: u64 = 64 << 10;

impl Meter {
    /// Nothing read yet.
    pub fn new(limits: &Limits) -> Self {
        Self::with(Caps {
            expansion: limits.expansion,
            ratio: limits.ratio,
            bombs: limits.bombs,
            members: limits.members,
        })
    }

    /// For an input that is given up where it expands to more than `bytes`.
    pub fn up_to(bytes: u64) -> Self {
        Self::with(Caps { expansion: bytes, ratio: 0, bombs: 0, members: u64::MAX })
    }

    fn with(limits: Caps) -> Self {
        let zero = || Cell::new(0);
        Self { limits, went_in: zero(), came_out: zero(), members: zero(), bombs: zero() }
    }

    /// Whether anything was passed over.
    pub fn has_tripped(&self) -> bool {
        self.bombs.get() > 0
    }

    /// Whether the rest of the input is passed over.
    pub fn is_spent(&self) -> bool {
        self.bombs.get() > self.limits.bombs || self.members.get() > self.limits.members
    }

    /// How many bytes went in.
    pub fn went_in(&self) -> u64 {
        self.went_in.get()
    }

    /// `length` bytes go in.
    pub fn takes(&self, length: u64) {
        self.went_in.set(self.went_in.get().saturating_add(length));
    }

    /// A member comes out.
    pub fn member(&self) -> io::Result<()> {
        self.members.set(self.members.get() + 1);
        if self.members.get() > self.limits.members {
            let message =
                format!("more than {} members: the rest is passed over", self.limits.members);
            return Err(Fault::invalid(message).into());
        }
        self.gives(MEMBER);
        self.check()
    }

    fn gives(&self, length: u64) {
        self.came_out.set(self.came_out.get().saturating_add(length));
    }

    fn check(&self) -> io::Result<()> {
        let Caps { expansion, ratio, bombs, .. } = self.limits;
        if self.is_spent() {
            let message = format!("more than {bombs} bombs: the rest is passed over");
            return Err(Fault::invalid(message).into());
        }
        let came_out = self.came_out.get();
        let went_in = self.went_in.get().next_multiple_of(PART);
        if came_out <= expansion || came_out <= went_in.saturating_mul(ratio) {
            return Ok(());
        }
        self.bombs.set(self.bombs.get() + 1);
        self.came_out.set(0);
        let message = format!(
            "a bomb, passed over: it expands to more than {} MiB and {ratio} times its size",
            expansion >> 20
        );
        Err(Fault::invalid(message).into())
    }
}

/// A layer of an input whose bytes are counted.
pub struct Metered<'m, R> {
    reader: R,
    meter: &'m Meter,
    given: u64,
    fault: Option<Fault>,
}

impl<'m, R: Read> Metered<'m, R> {
    /// Nothing read yet.
    pub fn new(reader: R, meter: &'m Meter) -> Self {
        Self { reader, meter, given: 0, fault: None }
    }
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone().into());
        }
        let left = STEP - self.given % STEP;
        let wanted = bytes.len().min(left as usize);
        let length = self.reader.read(&mut bytes[..wanted])?;
        self.given += length as u64;
        self.meter.gives(length as u64);
        if length > 0
            && self.given.is_multiple_of(STEP)
            && let Err(error) = self.meter.check()
        {
            self.fault = Some(error.into());
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        Limits { expansion: 2 * STEP, ratio: 10, bombs: 1, members: 1000, ..Limits::default() }
    }

    fn drain(meter: &Meter, length: u64) -> (u64, bool) {
        let mut reader = Metered::new(io::repeat(b'x').take(length), meter);
        let mut bytes = vec![0; 1000];
        let mut total = 0;
        loop {
            match reader.read(&mut bytes) {
                Ok(0) => return (total, true),
                Ok(length) => total += length as u64,
                Err(_) => return (total, false),
            }
        }
    }

    #[test]
    fn a_bomb_is_more_than_the_amount_and_more_than_the_ratio() {
        let meter = Meter::new(&limits());
        meter.takes(STEP);
        assert_eq!(drain(&meter, 9 * STEP), (9 * STEP, true), "within the ratio");
        let meter = Meter::new(&limits());
        meter.takes(1);
        assert_eq!(drain(&meter, 2 * STEP), (2 * STEP, true), "within the amount");
        let meter = Meter::new(&limits());
        meter.takes(1);
        assert_eq!(drain(&meter, 9 * STEP), (3 * STEP, false));
        assert!(meter.has_tripped() && !meter.is_spent());
    }

    #[test]
    fn what_follows_a_bomb_is_read_until_there_are_too_many() {
        let meter = Meter::new(&limits());
        assert!(!drain(&meter, 9 * STEP).1);
        assert!(meter.member().is_ok());
        assert!(drain(&meter, STEP).1);
        assert!(!drain(&meter, 9 * STEP).1);
        assert!(meter.is_spent() && meter.member().is_err());
    }

    #[test]
    fn many_small_members_are_a_bomb_as_well() {
        let meter = Meter::new(&limits());
        let count =
            (0..600).take_while(|_| drain(&meter, 10_000).1 && meter.member().is_ok()).count();
        assert!(count < 200, "{count}");
    }
}
