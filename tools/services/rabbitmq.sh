# The test RabbitMQ, and brokers that a test may break. Read by tools/services.sh.

rabbitmq_packages() {
  [[ -n ${HEADWAY_TEST_RABBITMQ:-} || -n $(rabbitmq_bin) ]] || echo rabbitmq-server
  # For the examples of consumers in another language; where there is no such package, their test says so.
  ! command -v apt-get >/dev/null || [[ -d /usr/lib/python3/dist-packages/pika ]] || echo python3-pika
}

rabbitmq_start() {
  [[ -z ${HEADWAY_TEST_RABBITMQ:-} ]] || return 0
  local folder
  folder=$(folder_of rabbitmq)
  if ! broker_answers "$folder"; then
    # Others may be at work on it, so a broker that is merely slow is not thrown away.
    [[ -z $(broker_process "$folder") ]] ||
      fail "The test RabbitMQ runs but does not answer: tools/services.sh stop, then try again."
    broker_launch "$folder" || {
      # A port was taken, or a crash or an upgrade left data that do not start. They hold nothing of value.
      broker_discard "$folder"
      broker_launch "$folder" || {
        tail -n 15 "$folder/log" >&2
        fail "RabbitMQ does not start; the lines above are the end of $folder/log."
      }
    }
  fi
  broker_url "$folder" >"$cache/rabbitmq.url"
}

rabbitmq_stop() {
  local folder
  folder=$(folder_of rabbitmq)
  broker_discard "$folder"
  rm -rf "$folder" "$cache"/rabbitmq.{url,folder}
  rmdir "${folder%/*}" 2>/dev/null || true
}

# The folder of the server's own scripts: the commands of the package insist on its own user and its own place.
rabbitmq_bin() {
  local command
  if [[ -x /usr/lib/rabbitmq/bin/rabbitmq-server ]]; then
    echo /usr/lib/rabbitmq/bin
  elif command=$(command -v rabbitmq-server); then
    dirname "$(readlink -f "$command")"
  fi
}

broker() {
  local folder
  [[ -d ${2:-} ]] || fail "Name a folder that exists: tools/services.sh broker start FOLDER."
  folder=$(cd "$2" && pwd -P)
  [[ -n $(rabbitmq_bin) ]] || fail "There is no RabbitMQ here: run tools/services.sh first."
  case $1 in
    start)
      broker_answers "$folder" || broker_launch "$folder" || {
        tail -n 15 "$folder/log" >&2
        fail "RabbitMQ does not start; the lines above are the end of $folder/log."
      }
      broker_url "$folder"
      ;;
    stop) broker_end "$folder" TERM ;;
    kill) broker_end "$folder" KILL ;;
    wipe) broker_discard "$folder" keep-ports ;;
    eval) broker_do "$folder" "$(rabbitmq_bin)/rabbitmqctl" eval "$3" ;;
    *) fail "Unknown command \"$1\": use start, stop, kill, wipe or eval." ;;
  esac
}

broker_url() { echo "amqp://guest:guest@127.0.0.1:$(<"$1/port")"; }

broker_name() { echo "headway-$(cksum <<<"$1" | cut -d' ' -f1)@localhost"; }

broker_process() { process_in "$1/own/pid" "$1/own" || true; }

# The management plugin listens where it does on any RabbitMQ: 10000 above AMQP.
broker_ports() {
  local folder=$1 http
  for _ in {1..100}; do
    http=$(free_port)
    (: <>"/dev/tcp/127.0.0.1/$((http - 10000))") 2>/dev/null || break
  done
  echo $((http - 10000)) >"$folder/port"
  free_port >"$folder/port-of-node"
  free_port >"$folder/port-of-names"
}

# Everything a node looks for outside its folder is named: no file of the machine is read, no port of it is used. The
# daemon that knows the names of nodes (epmd) is the broker's own too, and may be ended while it knows some.
broker_do() {
  local folder=$1 own=$1/own
  shift
  as_owner rabbitmq env HOME="$own" LANG=C.UTF-8 ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_RELAXED_COMMAND_CHECK=1 \
    ERL_EPMD_PORT="$(<"$folder/port-of-names")" RABBITMQ_DIST_PORT="$(<"$folder/port-of-node")" \
    RABBITMQ_NODENAME="$(broker_name "$folder")" RABBITMQ_CONF_ENV_FILE=/dev/null \
    RABBITMQ_CONFIG_FILE="$own/rabbitmq.conf" RABBITMQ_ENABLED_PLUGINS_FILE="$own/plugins" \
    RABBITMQ_MNESIA_BASE="$own/data" RABBITMQ_LOG_BASE="$own/log" RABBITMQ_PID_FILE="$own/pid" \
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1}" "$@"
}

# True if the broker on our port is ours and serves. Asked over HTTP, because a command of RabbitMQ takes a second.
broker_answers() {
  local folder=$1
  [[ -s $folder/port && -n $(broker_process "$folder") ]] || return 1
  (
    exec 8<>"/dev/tcp/127.0.0.1/$(($(<"$folder/port") + 10000))" && (: <>"/dev/tcp/127.0.0.1/$(<"$folder/port")") &&
      printf 'GET /api/overview HTTP/1.0\r\nAuthorization: Basic %s\r\n\r\n' "$(printf guest:guest | base64)" >&8 &&
      [[ $(timeout 60 cat <&8) == *"\"node\":\"$(broker_name "$folder")\""* ]]
  ) 2>/dev/null
}

broker_launch() {
  local folder=$1 own=$1/own server
  [[ -s $folder/port-of-names ]] || broker_ports "$folder"
  chmod 711 "$folder"
  own_folder rabbitmq "$own"
  printf '%s\n' "listeners.tcp.local = 127.0.0.1:$(<"$folder/port")" "management.tcp.ip = 127.0.0.1" \
    "management.tcp.port = $(($(<"$folder/port") + 10000))" "disk_free_limit.absolute = 1MB" "log.console = true" \
    "log.console.use_colors = off" "log.file = false" >"$own/rabbitmq.conf"
  echo '[rabbitmq_management].' >"$own/plugins"
  broker_do "$folder" setsid "$(rabbitmq_bin)/rabbitmq-server" >"$folder/log" 2>&1 9>&- &
  server=$!
  for _ in {1..600}; do
    if broker_answers "$folder"; then return 0; fi
    kill -0 "$server" 2>/dev/null || return 1
    sleep 0.1
  done
  return 1
}

# TERM lets it say goodbye to its clients and its disk, KILL is a power cut.
broker_end() {
  local folder=$1 signal=$2 pid
  pid=$(broker_process "$folder")
  if [[ -n $pid ]]; then kill "-$signal" "$pid" && await_end "$pid"; fi
  if [[ -s $folder/port-of-names ]]; then broker_do "$folder" epmd -kill >/dev/null 2>&1 || true; fi
}

broker_discard() {
  local folder=$1
  broker_end "$folder" KILL
  rm -rf "$folder/own"
  if [[ ${2:-} != keep-ports ]]; then rm -f "$folder"/port*; fi
}
