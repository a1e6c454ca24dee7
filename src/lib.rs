//! Seathold.
