#!/usr/bin/env bash
# Brings up the real servers the tests and benchmarks need, each private to this clone and thrown away on stop.
#
#   tools/services.sh          start what is not running; says nothing when all is well
#   tools/services.sh url      the same, then print the URL of the test PostgreSQL
#   tools/services.sh stop     stop everything and delete its data
#
# A service is two functions, <name>_start and <name>_stop, and a word in `services`. It writes its URL to
# .cache/services/<name>.url. With HEADWAY_TEST_POSTGRES set, that server is used and none is started.
set -euo pipefail

services=(postgres)
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cache=$repo/.cache/services

say() { echo "services: $*" >&2; }
fail() {
  say "$*"
  exit 1
}

main() {
  case ${1:-start} in
    start) locked each start ;;
    stop) locked each stop ;;
    url)
      locked each start
      postgres_url
      ;;
    *) fail "Unknown command \"$1\": use start, stop or url." ;;
  esac
}

each() {
  local service
  for service in "${services[@]}"; do "${service}_$1"; done
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

# Installs a Debian package; says in one sentence what to install where that is not possible.
install_package() {
  local package=$1 log=$cache/apt.log
  if dpkg -s "$package" >/dev/null 2>&1; then return; fi
  if ! command -v apt-get >/dev/null || ! as_admin true 2>/dev/null; then
    fail "Cannot install anything here: please install $package, then run tools/services.sh again."
  fi
  say "installing $package (once) …"
  export DEBIAN_FRONTEND=noninteractive
  {
    as_admin apt-get -q -o DPkg::Lock::Timeout=120 update &&
      as_admin apt-get -q -y -o DPkg::Lock::Timeout=120 --no-install-recommends install "$package"
  } </dev/null >"$log" 2>&1 9>&- || {
    tail -n 15 "$log" >&2
    fail "Could not install $package; the lines above say why, all of them are in .cache/services/apt.log."
  }
}

# ---- PostgreSQL ----------------------------------------------------------------------------------------------------

postgres_version_min=15

postgres_start() {
  [[ -z ${HEADWAY_TEST_POSTGRES:-} ]] || return 0
  local bin folder
  bin=$(postgres_bin)
  if [[ -z $bin ]]; then
    install_package postgresql
    bin=$(postgres_bin)
    [[ -n $bin ]] || fail "The packaged PostgreSQL is too old: please install version $postgres_version_min or newer."
  fi
  pgvector_install "$bin"
  folder=$(folder_of postgres)
  if ! postgres_answers "$bin" "$folder"; then
    # Others may be at work on it, so a server that is merely slow is not thrown away.
    ! postgres_as_owner "$bin/pg_ctl" status -D "$folder/own/data" >/dev/null 2>&1 ||
      fail "The test PostgreSQL runs but does not answer: tools/services.sh stop, then try again."
    postgres_launch "$bin" "$folder" || {
      # The port was taken, or a crash or an upgrade left a cluster that does not start. It holds nothing of value.
      postgres_discard "$bin" "$folder"
      postgres_launch "$bin" "$folder" || {
        tail -n 15 "$folder/log" >&2
        fail "PostgreSQL does not start; the lines above are the end of $folder/log."
      }
    }
  fi
  echo "postgres://headway@127.0.0.1:$(<"$folder/port")/headway" >"$cache/postgres.url"
}

# Debian 12 has no pgvector for its PostgreSQL, but the source package of its successor builds here in seconds. It is
# fetched from where this machine gets its packages, without touching its configuration.
pgvector_install() {
  local bin=$1 version work=$cache/pgvector log=$cache/pgvector.log
  [[ ! -f $("$bin/pg_config" --sharedir 2>/dev/null)/extension/vector.control ]] || return 0
  version=$("$bin/postgres" --version | grep -oE '[0-9]+' | head -n 1)
  [[ ! -f $log ]] || return 0 # It failed before.
  say "building pgvector (once) …"
  rm -rf "$work" && mkdir -p "$work"/{lists,cache/archives}/partial
  (cd "$work" && pgvector_build "$bin" "$version" "$work") </dev/null >"$log" 2>&1 9>&- ||
    say "could not build pgvector (see .cache/services/pgvector.log): search by meaning is tested on PGlite only."
  rm -rf "$work"
}

pgvector_build() {
  local bin=$1 version=$2 work=$3 uri private
  private=(-q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- -o APT::Sandbox::User=root
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache")
  install_package "postgresql-server-dev-$version" && install_package make && install_package gcc &&
    uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/$') &&
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri trixie main" >sources.list &&
    apt-get "${private[@]}" update && apt-get "${private[@]}" source --download-only pgvector &&
    mkdir build && tar -xzf pgvector_*.orig.tar.gz -C build --strip-components=1 &&
    make -C build -j2 with_llvm=no OPTFLAGS="" PG_CONFIG="$bin/pg_config" &&
    as_admin make -C build install with_llvm=no PG_CONFIG="$bin/pg_config"
}

postgres_stop() {
  local bin folder
  bin=$(postgres_bin)
  folder=$(folder_of postgres)
  [[ -z $bin ]] || postgres_discard "$bin" "$folder"
  rm -rf "$folder" "$cache"/postgres.{url,folder}
  rmdir "${folder%/*}" 2>/dev/null || true
}

postgres_url() {
  if [[ -n ${HEADWAY_TEST_POSTGRES:-} ]]; then echo "$HEADWAY_TEST_POSTGRES"; else cat "$cache/postgres.url"; fi
}

# The folder of the newest usable PostgreSQL, or nothing.
postgres_bin() {
  local bin version
  {
    ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -t/ -k5 -rn
    if command -v postgres >/dev/null; then dirname "$(readlink -f "$(command -v postgres)")"; fi
  } | while read -r bin; do
    [[ -x $bin/postgres && -x $bin/initdb && -x $bin/pg_ctl && -x $bin/psql ]] || continue
    version=$("$bin/postgres" --version | grep -oE '[0-9]+' | head -n 1)
    if ((version >= postgres_version_min)); then
      echo "$bin"
      break
    fi
  done
}

# PostgreSQL refuses to run as root. The lock's file must not stay open in the server, nor our terminal.
postgres_as_owner() {
  local owner=postgres
  id "$owner" >/dev/null 2>&1 || owner=nobody
  if [[ $(id -u) != 0 ]]; then
    (cd / && "$@" </dev/null 9>&-)
  elif command -v runuser >/dev/null; then
    (cd / && runuser -u "$owner" -- "$@" </dev/null 9>&-)
  else
    (cd / && su -s /bin/sh "$owner" -c "$(printf '%q ' "$@")" </dev/null 9>&-)
  fi
}

# True if the server on our port is ours, not that of another clone which happened to take the same port.
postgres_answers() {
  local bin=$1 folder=$2
  [[ -s $folder/port && -d $folder/own/data ]] || return 1
  [[ $(PGCONNECT_TIMEOUT=60 "$bin/psql" -XAtq -h 127.0.0.1 -p "$(<"$folder/port")" -U headway headway \
    -c "select current_setting('data_directory')" 2>/dev/null) == "$folder/own/data" ]]
}

# Makes the cluster if there is none, starts it, makes the database. `own` belongs to the server's user.
postgres_launch() {
  local bin=$1 folder=$2 own=$2/own
  {
    if [[ ! -d $own/data ]]; then
      rm -rf "$own" && mkdir "$own"
      if [[ $(id -u) == 0 ]]; then chown "$(postgres_as_owner id -u)" "$own"; fi
      free_port >"$folder/port" &&
        postgres_as_owner "$bin/initdb" --no-sync -U headway -A trust -E UTF8 --locale=C -D "$own/new" &&
        mv "$own/new" "$own/data" || return 1
    fi
    postgres_as_owner "$bin/pg_ctl" start -w -t 60 -D "$own/data" -l "$own/server.log" -o "$(
      echo "-c port=$(<"$folder/port") -c listen_addresses=127.0.0.1" \
        "-c unix_socket_directories= -c max_connections=200"
    )" || {
      cat "$own/server.log"
      return 1
    }
    "$bin/createdb" -h 127.0.0.1 -p "$(<"$folder/port")" -U headway headway || postgres_answers "$bin" "$folder"
  } >"$folder/log" 2>&1
}

postgres_discard() {
  local bin=$1 folder=$2
  if [[ -f $folder/own/data/postmaster.pid ]]; then
    postgres_as_owner "$bin/pg_ctl" stop -w -t 30 -m immediate -D "$folder/own/data" >/dev/null 2>&1 || true
  fi
  rm -rf "$folder/own" "$folder/port"
}

main "$@"
