# The test PostgreSQL, with pgvector where that can be had. Read by tools/services.sh.

postgres_version_min=15

postgres_packages() {
  [[ -n ${HEADWAY_TEST_POSTGRES:-} || -n $(postgres_bin) ]] || echo postgresql
}

postgres_start() {
  [[ -z ${HEADWAY_TEST_POSTGRES:-} ]] || return 0
  local bin folder
  bin=$(postgres_bin)
  [[ -n $bin ]] || fail "The packaged PostgreSQL is too old: please install version $postgres_version_min or newer."
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
  version=$(postgres_version "$bin")
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
  install_packages "postgresql-server-dev-$version" make gcc &&
    uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | awk '/\/debian\/$/ && !seen++') &&
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

# The folder of the newest usable PostgreSQL, or nothing. Nothing is piped into what stops reading early: now and then
# the writer is killed for it, and the script with it.
postgres_bin() {
  local bin
  while read -r bin; do
    [[ -x $bin/postgres && -x $bin/initdb && -x $bin/pg_ctl && -x $bin/psql ]] || continue
    if (($(postgres_version "$bin") >= postgres_version_min)); then
      echo "$bin"
      break
    fi
  done < <(
    ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -t/ -k5 -rn
    if command -v postgres >/dev/null; then dirname "$(readlink -f "$(command -v postgres)")"; fi
  )
}

postgres_version() {
  [[ $("$1/postgres" --version) =~ [0-9]+ ]] && echo "${BASH_REMATCH[0]}"
}

postgres_as_owner() { as_owner postgres "$@"; }

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
      rm -rf "$own" && own_folder postgres "$own"
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
