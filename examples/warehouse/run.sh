#!/bin/sh
# Builds Carillon and runs the example of README.md. Arguments are passed on to the example:
# ./run.sh -h lists them.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p bin
CGO_ENABLED=0 go build -o bin/carillon ./cmd/carillon
CGO_ENABLED=0 go build -o bin/warehouse ./examples/warehouse
exec bin/warehouse -carillon bin/carillon "$@"
