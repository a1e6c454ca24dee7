//! The site, tested as people meet it: a real server, real PostgreSQL and Redis, people as values.
//!
//! One test, one event: every test makes its own, so that they run side by side on one database. Tests that stop or flush a
//! store have servers of their own.

mod box_office;
mod browser;
mod neighbour;
mod person;

mod architecture;
mod audit;
mod cancel;
mod chaos;
mod checkout;
mod commands;
mod faults;
mod holds;
mod model;
mod pages;
mod pay;
mod paysim;
#[cfg(feature = "failpoints")]
mod points;
mod race;
mod recovery;
mod routes;
mod staff;
