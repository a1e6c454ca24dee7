//! Seathold.
fn main(){}
