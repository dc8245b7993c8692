#!/bin/sh
# vscode.sh BED: runs the scenarios in the VS Code of a bed. Prints `go test -json`.
# PILLION_BINARY and PILLION_VSIX name what is tried; PILLION_ONLY, PILLION_PATIENCE and PILLION_E2E_SCREENS are the scenarios' own.
beds=$(cd "$(dirname "$0")" && pwd)
. "$beds/common.sh"
bed=$1

event() { printf '{"Action":"%s","Package":"editors/e2e/%s"%s}\n' "$1" "$bed" "$2"; }

if ! [ -e "$cache/$bed/.pin" ]; then
  event run ',"Test":"all"'
  event output ',"Test":"all","Output":"THIS VS CODE IS NOT INSTALLED\n"'
  event skip ',"Test":"all"'
  event pass ''
  exit 0
fi

PILLION_VSCODE=${bed#vscode-} PILLION_DEV_CACHE=$cache exec timeout -k 5 3600 \
  node --test --test-concurrency=1 --test-timeout=3600000 \
  --test-reporter="$beds/../../../vscode-extension/scripts/gojson.mjs" "$beds/../vscode/scenarios.test.mjs"
