//! The program: reads settings and runs one command.

mod commands;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Seathold, a self-hosted box office for reserved seats.
#[derive(Parser)]
#[command(version, about, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the box office
    Serve(Box<seathold::config::Serve>),
    /// Make, list, change and close events
    #[command(subcommand)]
    Event(commands::event::EventCommand),
    /// Repair single seats
    #[command(subcommand)]
    Seat(commands::seat::SeatCommand),
    /// Check the promises of a live system; prints each one that does not hold, and then fails
    Audit(commands::audit::Audit),
    /// Play the payment provider, as a neighbour with a ledger of its own
    Paysim(commands::paysim::Settings),
    /// Let people into the box office, and keep them out
    #[command(subcommand)]
    Staff(commands::staff::StaffCommand),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("seathold: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let done = runtime.block_on(async {
        match cli.command {
            Command::Serve(settings) => commands::serve::run(*settings).await,
            Command::Event(command) => commands::event::run(command).await,
            Command::Seat(command) => commands::seat::run(command).await,
            Command::Audit(settings) => commands::audit::run(settings).await,
            Command::Paysim(settings) => commands::paysim::run(settings).await,
            Command::Staff(command) => commands::staff::run(command).await,
        }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("seathold: {error}");
            ExitCode::FAILURE
        }
    }
}
