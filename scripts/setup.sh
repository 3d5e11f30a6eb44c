#!/usr/bin/env bash
# Installs what `make run` or `make test` needs and this machine lacks.
#
#   scripts/setup.sh run     a Redis for the built-in mode; never fails
#   scripts/setup.sh test    Redis, PostgreSQL and a browser; fails without them
#   scripts/setup.sh screenshots    fonts for the pictures; never fails
#
# Debian starts a server as soon as its package is installed. Nothing here needs
# one: Carillon and its tests start private ones. So what is installed here is
# kept from starting, and what was there before is left alone.
set -eu

purpose=${1:-test}

have_redis() { command -v redis-server >/dev/null || command -v valkey-server >/dev/null; }
have_postgres() { compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null; }
have_browser() {
	local name
	for name in chromium chromium-browser google-chrome google-chrome-stable; do
		if command -v "$name" >/dev/null; then return 0; fi
	done
	return 1
}

missing=()
services=()
have_redis || { missing+=(redis-server); services+=(redis-server); }
if [ "$purpose" = test ]; then
	have_postgres || { missing+=(postgresql); services+=(postgresql); }
	have_browser || missing+=(chromium)
fi
if [ "$purpose" = screenshots ]; then
	missing=()
	have_font() { command -v fc-list >/dev/null && [ -n "$(fc-list "$1")" ]; }
	have_font "Noto Sans" || missing+=(fonts-noto-core)
	have_font "Noto Sans CJK JP" || missing+=(fonts-noto-cjk)
	have_font "Noto Color Emoji" || missing+=(fonts-noto-color-emoji)
	services=()
fi
[ ${#missing[@]} -gt 0 ] || exit 0

give_up() {
	echo "setup: $1" >&2
	[ "$purpose" = test ] && exit 1
	[ "$purpose" = run ] && echo "setup: going on without; Redis will live in memory" >&2
	exit 0
}

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	# Asks for a password only where somebody can type one, and only for tests.
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
install 2>/dev/null || { root apt-get update -qq >/dev/null && install; } || give_up "cannot install ${missing[*]}"

# Nor are they to start at the next boot.
if [ ${#services[@]} -gt 0 ] && [ -d /run/systemd/system ]; then
	root systemctl disable --quiet "${services[@]}" || true
fi
