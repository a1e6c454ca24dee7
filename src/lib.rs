//! Seathold, a box office for reserved seats.
//!
//! There are two kinds of room. A **noun** is a thing that a box office talks about ([`event`], [`plan`], [`seat_map`],
//! [`hold`], [`payment`], [`booking`]…): it owns its types, its rules and its store, and knows nothing of HTTP. A **page**
//! is a thing that a person looks at ([`pages`]): it owns its address, its form and its template, and knows nothing of SQL
//! or Redis. A request walks route → page → noun, and back into a template.
//!
//! The rule of rules: Redis decides who may try, PostgreSQL decides who owns.

pub mod audit;
pub mod best;
pub mod booking;
pub mod config;
pub mod database;
pub mod error;
pub mod event;
pub mod failpoint;
pub mod hold;
pub mod limit;
pub mod local;
pub mod money;
pub mod pages;
pub mod payment;
pub mod plan;
pub mod random;
pub mod redis;
pub mod seat_map;
pub mod staff;
pub mod text;

pub use error::Error;
