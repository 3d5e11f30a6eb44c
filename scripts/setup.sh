#!/usr/bin/env bash
# Installs the packages that `make run` or `make test` needs and this machine lacks.
#
#   scripts/setup.sh run     a Redis for the built-in mode; never fails
#   scripts/setup.sh test    Redis, PostgreSQL, PgBouncer, MariaDB, a browser, nginx, Caddy, Apache, promtool, systemd-analyze, skopeo, and the languages of clients/ and snippets/; fails without them
#   scripts/setup.sh check   npm, which the linters and generators of static/ need; fails without it
#   scripts/setup.sh screenshots    fonts for the pictures; never fails
#
# Debian starts a server as soon as its package is installed. Carillon and its tests start
# private servers instead, so this script keeps the servers that it installs from starting. It
# leaves those that were there before alone.
set -eu

purpose=${1:-test}

have_redis() { command -v redis-server >/dev/null || command -v valkey-server >/dev/null; }
have_postgres() { compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null; }
have_mariadb() { command -v mariadbd >/dev/null || [ -x /usr/sbin/mariadbd ]; }
have_browser() {
	local name
	for name in chromium chromium-browser google-chrome google-chrome-stable; do
		if command -v "$name" >/dev/null; then return 0; fi
	done
	return 1
}

# The proxies that the recipes of deploy/ are for.
need_proxies() {
	command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || { missing+=(nginx); services+=(nginx); }
	command -v caddy >/dev/null || { missing+=(caddy); services+=(caddy); }
	command -v apache2 >/dev/null || [ -x /usr/sbin/apache2 ] || { missing+=(apache2); services+=(apache2); }
}

# The languages of the clients, and of the snippets that host applications paste, by the command that runs each.
need_languages() {
	command -v npm >/dev/null || missing+=(npm)
	command -v javac >/dev/null || missing+=(default-jdk-headless)
	command -v elixir >/dev/null || missing+=(elixir)
	command -v php >/dev/null || missing+=(php-cli)
	command -v ruby >/dev/null || missing+=(ruby)
	/usr/bin/python3 -c 'import django' 2>/dev/null || missing+=(python3-django)
	/usr/bin/python3 -c 'import flask' 2>/dev/null || missing+=(python3-flask)
	/usr/bin/python3 -c 'import cryptography' 2>/dev/null || missing+=(python3-cryptography)
}

missing=()
services=()
have_redis || { missing+=(redis-server); services+=(redis-server); }
if [ "$purpose" = test ]; then
	have_postgres || { missing+=(postgresql); services+=(postgresql); }
	command -v pgbouncer >/dev/null || [ -x /usr/sbin/pgbouncer ] || { missing+=(pgbouncer); services+=(pgbouncer); }
	have_mariadb || { missing+=(mariadb-server); services+=(mariadb); }
	have_browser || missing+=(chromium)
	need_languages
	need_proxies
	# promtool, for the alerts and the dashboard of deploy/.
	command -v promtool >/dev/null || { missing+=(prometheus); services+=(prometheus); }
	command -v systemd-analyze >/dev/null || missing+=(systemd) # for the unit of deploy/
	command -v skopeo >/dev/null || missing+=(skopeo)           # for the image of a release
fi
if [ "$purpose" = screenshots ]; then
	missing=()
	have_font() { command -v fc-list >/dev/null && [ -n "$(fc-list "$1")" ]; }
	have_font "Noto Sans" || missing+=(fonts-noto-core)
	have_font "Noto Sans CJK JP" || missing+=(fonts-noto-cjk)
	have_font "Noto Color Emoji" || missing+=(fonts-noto-color-emoji)
	services=()
fi
if [ "$purpose" = check ]; then
	missing=()
	command -v npm >/dev/null || missing+=(npm)
	services=()
fi
[ ${#missing[@]} -gt 0 ] || exit 0

give_up() {
	echo "setup: $1" >&2
	case $purpose in test | check) exit 1 ;; esac
	[ "$purpose" = run ] && echo "setup: continuing without it; Redis will run in memory" >&2
	exit 0
}

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	# Ask for a password only for tests, and only if there is a terminal to type it.
	if sudo -n true 2>/dev/null || { [ "$purpose" = test ] && [ -t 0 ] && command -v sudo >/dev/null; }; then
		as_root=(sudo)
	else
		give_up "install ${missing[*]} (this needs root)"
	fi
fi
command -v apt-get >/dev/null || give_up "install ${missing[*]} with this system's package manager"

root() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "$@"; }

policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
	trap 'root rm -f "$policy"' EXIT
	printf '#!/bin/sh\nexit 101\n' | root tee "$policy" >/dev/null
	root chmod 755 "$policy"
fi

install() { root apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; }

echo "setup: installing ${missing[*]}" >&2
# An old list offers old packages, or packages that no longer exist. If it cannot be updated, the
# old one may still do.
root apt-get update -qq >/dev/null || echo "setup: could not update the list of packages; using the old one" >&2
install || give_up "cannot install ${missing[*]}"

# They must not start at the next boot either.
if [ ${#services[@]} -gt 0 ] && [ -d /run/systemd/system ]; then
	root systemctl disable --quiet "${services[@]}" || true
fi
