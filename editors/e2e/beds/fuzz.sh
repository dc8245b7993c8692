#!/bin/sh
# fuzz.sh TIME: runs every fuzz target of the module for TIME, all of them even when one fails.
set -u
code=0
for package in $(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./...); do
  for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz'); do
    echo "== $package $target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$1" "$package" || code=1
  done
done
exit $code
