# shellcheck shell=bash
# What bin/start and bin/test share: find out what is missing on this machine, and install only that.
#
# Sourced, not run. On Debian and Ubuntu by apt, on macOS by Homebrew (untested); elsewhere it says what is missing.
# With everything there it changes nothing and asks for no rights. It starts and enables no server: Seathold starts
# private ones, and what already runs on the machine is left alone.

say() { printf '%s\n' "$*" >&2; }

die() {
    say "$*"
    exit 1
}

# Runs a command with the rights of root.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

has() { command -v "$1" >/dev/null 2>&1; }

has_postgres() {
    if has postgres && has initdb; then return; fi
    # PostgreSQL's programs are often not in PATH; a client alone is not enough.
    local dir
    for dir in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin \
        /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin; do
        if [ -x "$dir/postgres" ] && [ -x "$dir/initdb" ]; then return; fi
    done
    return 1
}

has_redis() { has redis-server || has valkey-server; }

has_browser() { has chromium || has chromium-browser || has google-chrome; }

# Installs what is missing among the things named: cc, postgresql, redis, browser, driver, node.
install_missing() {
    local thing missing=()
    for thing; do
        case $thing in
        cc) has cc ;;
        postgresql) has_postgres ;;
        redis) has_redis ;;
        browser) has_browser ;;
        driver) has chromedriver ;;
        node) has node && has npm ;;
        esac || missing+=("$thing")
    done
    [ "${#missing[@]}" -gt 0 ] || return 0

    if has apt-get; then
        install_by_apt "${missing[@]}"
    elif has brew; then
        install_by_brew "${missing[@]}"
    else
        die "Please install what is missing: ${missing[*]}. (It is done by itself on Debian, Ubuntu, and macOS with Homebrew.)"
    fi
}

install_by_apt() {
    local thing packages=()
    if [ "$(id -u)" != 0 ] && ! has sudo; then
        die "Missing: $*. Installing needs the rights of root, and there is no sudo: ask whoever administers this machine."
    fi
    say "Missing: $*. Refreshing apt's lists..."
    as_root apt-get -q update >&2 || say "apt-get update failed; trying with the lists that are there."
    for thing; do
        case $thing in
        cc) packages+=(gcc libc6-dev) ;;
        postgresql) packages+=(postgresql) ;;
        redis) packages+=("$(first_known redis-server valkey-server)") ;;
        browser) packages+=("$(first_known chromium chromium-browser)") ;;
        driver) packages+=("$(first_known chromium-driver chromium-chromedriver)") ;;
        node) packages+=(nodejs npm) ;;
        esac
    done
    say "Installing: ${packages[*]}"
    # In a shell of its own, so that its clean-up happens whatever becomes of us. It reads no standard input.
    as_root bash -c "$APT_INSTALL" apt-install "${packages[@]}" </dev/null >&2 ||
        die "Installing failed: ${packages[*]}"
}

# The first of the packages that apt can install.
first_known() {
    local package
    for package; do
        if apt-cache policy "$package" 2>/dev/null | grep -Eq '^ +Candidate: [^(]'; then
            echo "$package"
            return
        fi
    done
    echo "$1"
}

# Run as root. The packages of PostgreSQL and Redis would start a server, enable it for the next boot, and make a database
# cluster; while this runs, they may not. What it changes for that is put back at the end.
# shellcheck disable=SC2016 # expanded by the shell that runs it
APT_INSTALL='
set -eu
export DEBIAN_FRONTEND=noninteractive
policy=/usr/sbin/policy-rc.d
clusters=/etc/postgresql-common/createcluster.conf
made_policy= saved_clusters=
put_back() {
    [ -z "$made_policy" ] || rm -f "$policy"
    [ -z "$saved_clusters" ] || { cat "$saved_clusters" >"$clusters" && rm -f "$saved_clusters"; }
}
trap put_back EXIT
trap "exit 129" HUP
trap "exit 130" INT
trap "exit 143" TERM

if [ ! -e "$policy" ]; then
    made_policy=yes
    printf "#!/bin/sh\nexit 101\n" >"$policy"
    chmod 755 "$policy"
fi
installed() { dpkg-query -W -f="\${Status}" "$1" 2>/dev/null | grep -q "ok installed"; }
install() { apt-get -q -y -o Dpkg::Options::=--force-confold install --no-install-recommends "$@"; }

new_services=
for package; do
    case $package in
    postgresql)
        install postgresql-common
        saved_clusters=$(mktemp)
        cat "$clusters" >"$saved_clusters"
        echo "create_main_cluster = false" >>"$clusters"
        ;;
    redis-server | valkey-server) installed "$package" || new_services="$new_services $package" ;;
    esac
done
install "$@"
for service in $new_services; do
    update-rc.d "$service" disable || true
done
'

install_by_brew() {
    local thing formulas=()
    for thing; do
        case $thing in
        cc) die "A C compiler is missing: run xcode-select --install" ;;
        postgresql) formulas+=(postgresql@17) ;;
        redis) formulas+=(redis) ;;
        browser) formulas+=(chromium) ;;
        driver) formulas+=(chromedriver) ;;
        node) formulas+=(node) ;;
        esac
    done
    say "Installing with Homebrew (untested): ${formulas[*]}"
    brew install "${formulas[@]}" >&2 </dev/null || die "Installing failed: ${formulas[*]}"
}

# Sees to it that there is a cargo; with names after it, that it has those components as well.
need_cargo() {
    # rustup installs here, and an open terminal does not know it yet.
    has cargo || PATH="$HOME/.cargo/bin:$PATH"
    has cargo || die "Rust is missing: install it from https://rustup.rs and start again."
    local component
    for component; do
        cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1 && continue
        has rustup || die "cargo ${component/rustfmt/fmt} is missing: install Rust's component $component."
        say "Installing Rust's component $component"
        rustup component add "$component" >&2 </dev/null
    done
}
