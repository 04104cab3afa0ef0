#!/usr/bin/env bash
# Brings up the real servers the tests and benchmarks need, each private to this clone and thrown away on stop.
#
#   tools/services.sh          start what is not running; says nothing when all is well
#   tools/services.sh url      the same, then print the URL of the test PostgreSQL
#   tools/services.sh stop     stop everything and delete its data
#   tools/services.sh install PACKAGE…     Debian packages of tools that a test runs, without starting their servers
#
#   tools/services.sh broker start|stop|kill|wipe FOLDER     a RabbitMQ in that folder, for a test that breaks it
#   tools/services.sh broker eval FOLDER CODE                has it run Erlang
#
# A service is a file in tools/services with three functions, <name>_packages, <name>_start and <name>_stop. It writes
# its URL to .cache/services/<name>.url. With HEADWAY_TEST_POSTGRES, HEADWAY_TEST_RABBITMQ or HEADWAY_TEST_PGBOUNCER
# set, that server is used and none is started.
set -euo pipefail

services=(rabbitmq postgres pgbouncer)
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cache=$repo/.cache/services
for service in "${services[@]}"; do source "$repo/tools/services/$service.sh"; done

say() { echo "services: $*" >&2; }
fail() {
  say "$*"
  exit 1
}

main() {
  case ${1:-start} in
    start) locked start_all ;;
    stop) locked stop_all ;;
    url)
      locked start_all
      postgres_url
      ;;
    install) locked install_packages "${@:2}" ;;
    broker) broker "${@:2}" ;;
    *) fail "Unknown command \"$1\": use start, stop, url, install or broker." ;;
  esac
}

# The broker takes seconds of its own, so it starts beside the others.
start_all() {
  local service missing=() broker
  for service in "${services[@]}"; do missing+=($("${service}_packages")); done
  install_packages "${missing[@]}"
  rabbitmq_start &
  broker=$!
  postgres_start
  pgbouncer_start
  wait "$broker"
}

stop_all() {
  local service
  for service in "${services[@]}"; do "${service}_stop"; done
}

# Two calls at once: the second waits, then finds everything running.
locked() {
  mkdir -p "$cache"
  exec 9>"$cache/lock"
  if command -v flock >/dev/null; then
    flock -w 300 9 || fail "Another call of tools/services.sh has been busy for five minutes."
  fi
  "$@"
  exec 9>&-
}

# A folder outside the clone, because a server's own user may not be able to enter the clone. Its name is
# predictable, so it must be ours: somebody else's folder of that name is refused.
folder_of() {
  local name folder
  name=headway-services-$(id -u)-$(cksum <<<"$repo" | cut -d' ' -f1)/$1
  folder=${TMPDIR:-/tmp}/$name
  # TMPDIR may have been another one when the service was started.
  if [[ -f $cache/$1.folder && $(<"$cache/$1.folder") == */$name ]]; then folder=$(<"$cache/$1.folder"); fi
  mkdir -p "$folder"
  [[ -O $folder && -O ${folder%/*} && ! -L ${folder%/*} ]] || fail "${folder%/*} belongs to somebody else: remove it."
  chmod 711 "${folder%/*}" "$folder"
  echo "$folder" >"$cache/$1.folder"
  echo "$folder"
}

# Below the range from which the system takes ports for outgoing connections.
free_port() {
  local port
  for _ in {1..100}; do
    port=$((20000 + RANDOM % 12000))
    (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port" && return; }
  done
  fail "No free port between 20000 and 32000."
}

as_admin() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo -n "$@"; fi
}

# Runs a server's command as the user the server wants, in case we are root: most refuse to be root. The lock's file
# must not stay open in the server, nor our terminal.
as_owner() {
  local owner=$1
  shift
  id "$owner" >/dev/null 2>&1 || owner=nobody
  if [[ $(id -u) != 0 ]]; then
    (cd / && "$@" </dev/null 9>&-)
  elif command -v runuser >/dev/null; then
    (cd / && runuser -u "$owner" -- "$@" </dev/null 9>&-)
  else
    (cd / && su -s /bin/sh "$owner" -c "$(printf '%q ' "$@")" </dev/null 9>&-)
  fi
}

# A folder that belongs to the server's user, inside one that is ours.
own_folder() {
  mkdir -p "$2"
  if [[ $(id -u) == 0 ]]; then chown "$(as_owner "$1" id -u)" "$2"; fi
}

# The process that a file names, if it lives and is the one that was started for this folder.
process_in() {
  local pid
  pid=$(cat "$1" 2>/dev/null) && [[ -n $pid && $(ps -ww -o args= -p "$pid" 2>/dev/null) == *"$2"* ]] && echo "$pid"
}

# Waits until a process is gone.
await_end() {
  for _ in {1..600}; do
    kill -0 "$1" 2>/dev/null || return 0
    sleep 0.05
  done
  return 1
}

# Installs Debian packages; says in one sentence what to install where that is not possible.
install_packages() {
  local package missing=() log=$cache/apt.log
  for package in "$@"; do dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package"); done
  if ((${#missing[@]} == 0)); then return; fi
  if ! command -v apt-get >/dev/null || ! as_admin true 2>/dev/null; then
    fail "Cannot install anything here: please install ${missing[*]}, then run tools/services.sh again."
  fi
  say "installing ${missing[*]} (once) …"
  export DEBIAN_FRONTEND=noninteractive
  {
    as_admin apt-get -q -o DPkg::Lock::Timeout=120 update &&
      without_starting as_admin apt-get -q -y -o DPkg::Lock::Timeout=120 --no-install-recommends install \
        "${missing[@]}"
  } </dev/null >"$log" 2>&1 9>&- || {
    tail -n 15 "$log" >&2
    fail "Could not install ${missing[*]}; the lines above say why, all of them are in .cache/services/apt.log."
  }
}

# Packages start their server for the whole machine when they are installed. Debian asks this file first.
without_starting() {
  local policy=/usr/sbin/policy-rc.d status=0
  if [[ -e $policy ]]; then
    "$@"
    return
  fi
  trap 'as_admin rm -f /usr/sbin/policy-rc.d' EXIT
  printf '#!/bin/sh\nexit 101\n' | as_admin tee "$policy" >/dev/null && as_admin chmod 755 "$policy"
  "$@" || status=$?
  as_admin rm -f "$policy"
  trap - EXIT
  return "$status"
}

main "$@"
