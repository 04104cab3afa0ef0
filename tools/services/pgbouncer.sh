# The test PgBouncer, in front of the test PostgreSQL. Read by tools/services.sh.

pgbouncer_packages() {
  [[ -n ${HEADWAY_TEST_PGBOUNCER:-} || -n $(pgbouncer_bin) ]] || echo pgbouncer
}

# In front of the test PostgreSQL, whichever that is; a session of the server belongs to a client for a transaction only.
pgbouncer_start() {
  [[ -z ${HEADWAY_TEST_PGBOUNCER:-} ]] || return 0
  local folder settings
  folder=$(folder_of pgbouncer)
  settings=$(pgbouncer_settings "$folder")
  if [[ -z $(pgbouncer_process "$folder") || $settings != "$(cat "$folder/own/pgbouncer.ini" 2>/dev/null)" ]]; then
    for _ in 1 2; do
      pgbouncer_discard "$folder"
      free_port >"$folder/port"
      settings=$(pgbouncer_settings "$folder")
      if pgbouncer_launch "$folder" "$settings"; then break; fi
    done
    [[ -n $(pgbouncer_process "$folder") ]] || {
      tail -n 15 "$folder/log" >&2
      fail "PgBouncer does not start; the lines above are the end of $folder/log."
    }
  fi
  echo "postgres://127.0.0.1:$(<"$folder/port")" >"$cache/pgbouncer.url"
}

pgbouncer_stop() {
  local folder
  folder=$(folder_of pgbouncer)
  pgbouncer_discard "$folder"
  rm -rf "$folder" "$cache"/pgbouncer.{url,folder}
  rmdir "${folder%/*}" 2>/dev/null || true
}

pgbouncer_bin() { PATH=$PATH:/usr/sbin command -v pgbouncer || true; }

pgbouncer_process() { process_in "$1/own/pid" "$1/own" || true; }

# Who comes in is not asked: the server behind is told the name and the password of its own URL.
pgbouncer_settings() {
  local folder=$1 at user place password=
  at=$(postgres_url)
  at=${at#*://}
  user=${at%%@*} place=${at#*@}
  place=${place%%/*}
  if [[ $user == *:* ]]; then password=" password=${user#*:}"; fi
  printf '%s\n' "[databases]" "* = host=${place%:*} port=${place##*:} user=${user%%:*}$password" "[pgbouncer]" \
    "listen_addr = 127.0.0.1" "listen_port = $(cat "$folder/port" 2>/dev/null)" "unix_socket_dir =" \
    "auth_type = any" "pool_mode = transaction" "default_pool_size = 20" "max_client_conn = 400" \
    "logfile = $folder/own/log" "pidfile = $folder/own/pid"
}

pgbouncer_launch() {
  local folder=$1
  own_folder postgres "$folder/own"
  echo "$2" >"$folder/own/pgbouncer.ini"
  as_owner postgres "$(pgbouncer_bin)" -q -d "$folder/own/pgbouncer.ini" >"$folder/log" 2>&1 || return 1
  for _ in {1..100}; do
    if (: <>"/dev/tcp/127.0.0.1/$(<"$folder/port")") 2>/dev/null; then return 0; fi
    sleep 0.05
  done
  return 1
}

pgbouncer_discard() {
  local folder=$1 pid
  pid=$(pgbouncer_process "$folder")
  if [[ -n $pid ]]; then kill -QUIT "$pid" 2>/dev/null && await_end "$pid"; fi
  rm -rf "$folder/own" "$folder/port"
}
