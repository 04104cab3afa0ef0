#!/usr/bin/env bash
# Fetches the labelled manuals of Debian into .cache/manuals; nothing is installed.
set -euo pipefail
cd "$(dirname "$0")/../../.."
mkdir -p .cache/manuals
target=$PWD/.cache/manuals
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download -q gputils-doc avrdude-doc libcfitsio-doc bacula-doc linuxcnc-doc-en linuxcnc-doc-de \
  ngspice-doc nut-doc drbd-doc gutenprint-doc sdcc-doc
for package in *.deb; do
  # A pattern that fits nothing makes tar fail: packages have one of the two.
  dpkg-deb --fsys-tarfile "$package" | tar x --wildcards '*.pdf' '*.pdf.gz' 2>/dev/null || true
done
find . -name '*.pdf.gz' -type f -exec gunzip -f {} +
for name in gputils avrdude cfitsio main LinuxCNC_Documentation LinuxCNC_Documentation_de \
  user-manual drbd-users-guide gutenprint-users-manual sdccman; do
  find . -name "$name.pdf" -type f -exec cp {} "$target/" \;
done
find . -path '*ngspice*' -name manual.pdf -type f -exec cp {} "$target/ngspice.pdf" \;
ls -l "$target"
