# `make` lists the targets. `run` and `test` install what is missing on Debian;
# elsewhere they say what to install.

GO   ?= go
TOOL  = $(GO) tool -modfile=tools.mod

# What runs many goroutines is tested with the race detector. The rest takes too
# long under it for every run: `make race` has it all.
RACED = ./notifier/... ./internal/... ./handlers/...
REST  = $$($(GO) list ./... | grep -vE '^$(shell $(GO) list -m)/(e2e|notifier|internal|handlers)(/|$$)')

# The race detector does not look into what others wrote for one goroutine at a
# time: the C of SQLite as Go, on memory of its own, and the Lua of the Redis in
# memory. SQLite runs three times as fast without it, the Lua a fifth faster; `make
# race` has them too.
UNRACED = modernc.org/sqlite/lib modernc.org/libc/... modernc.org/memory github.com/yuin/gopher-lua/...

# The browser is tested by itself, and so are whole instances that are killed and
# cut off: each takes all there is of the machine, and what else is tested has its
# deadlines.

.DEFAULT_GOAL := help
.PHONY: help run build test soak race screenshots gallery bench generate lint verify check setup

help: ## list these targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

run: ## run a demonstration on http://127.0.0.1:8080, with users to sign in as
	@scripts/setup.sh run
	$(GO) run ./cmd/carillon serve --demo

build: ## build bin/carillon
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags="-s -w" -o bin/carillon ./cmd/carillon

test: setup ## install what the tests need, then run all of them
	$(GO) vet ./...
	$(GO) test -vet=off $(REST)
	$(GO) test -vet=off -race $(patsubst %,-gcflags=%=-race=false,$(UNRACED)) $(RACED)
	$(GO) test -vet=off -p 1 -timeout 15m ./e2e/...

soak: setup ## kill instances a hundred times and break all around them ten times; takes an hour
	$(GO) test -v -timeout 3h ./e2e/soak -args -kills=100 -rounds=10

race: setup ## run all tests with the race detector
	$(GO) test -race ./...

screenshots: setup ## write the pictures of README and docs anew
	@scripts/setup.sh screenshots
	$(GO) test ./e2e -run 'ThePictures' -count=1 -args -pictures=../docs/images

gallery: setup ## write pictures of every page in every state under e2e/screenshots
	$(GO) test ./e2e -run 'TestEveryPage' -count=1 -args -gallery

bench: setup ## measure what the README promises; takes minutes
	$(GO) run ./bench

generate: ## write anew what is generated: templ, and css and vendored js where npm is installed
	$(TOOL) templ generate -path views
	@if command -v npm >/dev/null; then \
		{ test -d node_modules || npm install --no-save --no-audit --no-fund --silent; } && npm run --silent build; \
	else echo "generate: no npm; static/ is left as it is" >&2; fi

lint: ## look for mistakes and for what the style forbids
	$(TOOL) golangci-lint run ./...
	@if command -v npm >/dev/null; then \
		{ test -x node_modules/.bin/html-validate || npm install --no-save --no-audit --no-fund --silent; } && npm run --silent check; \
	elif [ -n "$${CI:-}" ]; then echo "lint: no npm to check modules and pages with" >&2; exit 1; \
	else echo "lint: no npm; modules and pages are not checked" >&2; fi

verify: generate ## fail when a generated file is not what its source makes
	@stale="$$(git status --porcelain -- '*_templ.go' static e2e/testdata)"; \
	if [ -n "$$stale" ]; then echo "$$stale"; echo "verify: commit what make generate made" >&2; exit 1; fi

check: verify test lint ## everything that has to pass before a change is merged

setup: ## install what the tests need
	@scripts/setup.sh test
