# The application alone; docker-compose.yml adds PostgreSQL and Redis.

FROM rust:1-slim-bookworm AS build
# SQLite, for the payment simulator's ledger, is compiled in.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/build/target \
    cargo build --release --locked --bin seathold \
    && cp target/release/seathold /seathold

FROM debian:bookworm-slim
RUN useradd --system --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin seathold \
    && install --directory --owner=seathold --group=seathold /data
WORKDIR /app
COPY --from=build /seathold /app/seathold
COPY static /app/static
USER seathold
# The ledger of the payment simulator (seathold paysim).
VOLUME /data
ENV LISTEN=0.0.0.0:8080 STATIC_DIR=/app/static
EXPOSE 8080
# Bash asks for the page itself: the image has no curl and needs none.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /health/ready HTTP/1.0\\r\\n\\r\\n' >&3 && read -r status <&3 && [[ $status == *' 200 '* ]]"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/app/seathold"]
CMD ["serve"]
