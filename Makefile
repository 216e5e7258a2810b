# Fillbook. `make` lists the targets; only the web targets need Node.

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

# A static binary without local paths. The version is passed explicitly, so Go does
# not run git, which fails in a checkout owned by another user.
BUILD := CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION)'

.DEFAULT_GOAL := help
.PHONY: help run build test test-citus test-patroni soak vet lint check bench bench-build bench-full bench-parts bench-compare bench-docs soak-load soak-hostile release image web web-check web-test screenshots docs-page clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

run: build ## Build and serve on SQLite at http://127.0.0.1:8080
	./bin/fillbook serve

build: ## Build bin/fillbook, a static binary
	$(BUILD) -o bin/fillbook ./cmd/fillbook

test: ## Run all tests: SQLite, a temporary PostgreSQL and PgBouncer, the image, the page in a browser
	scripts/test

test-citus: ## Test on a distributed database: a Citus coordinator and two workers, where Citus is installed
	scripts/with-citus

test-patroni: ## Test failovers with a temporary Patroni cluster of three nodes
	scripts/with-patroni

soak: ## Kill servers 1000 times, their database 50 times, the watch agent and a server that fetches from a broker 200 times each, and repeat what make test does a few times (15 minutes or more)
	SVC_TEST_KILL_ROUNDS=1000 SVC_TEST_OUTAGES=50 scripts/with-postgres $(GO) test -count=1 -timeout 4h -v \
		-run 'TestKilled|TestOutage|TestAcknowledgedWritesSurviveKill|MigrationSurvivesKill' ./cmd/fillbook ./internal/instances ./internal/base/db
	scripts/with-postgres $(GO) test -count=1 -timeout 1h -run 'TestSourcesInAnyOrder|TestRandomHistory' ./internal/trading/ledger -rapid.checks=300
	SVC_TEST_LONG=1 scripts/with-postgres scripts/with-pgbouncer scripts/with-buildah --optional $(GO) test -count=1 -timeout 2h ./...
	SVC_TEST_POOLED=1 scripts/with-postgres scripts/with-pgbouncer $(GO) test -count=1 -timeout 1h -run '/^postgresql' ./internal/httpapi ./internal/base/db ./internal/people/identity
	CGO_ENABLED=1 scripts/with-postgres $(GO) test -race -count=1 -timeout 1h ./internal/httpapi ./internal/base/db ./internal/figures/columns ./internal/figures/sharing ./internal/people/identity ./internal/trading/ledger
	SVC_TEST_LONG=1 scripts/with-browser npm --prefix web run test:browser -- every-screen phone

soak-hostile: ## Attack a server in thirteen ways, one after the other and all at once, on each engine; others must be served (10 minutes)
	for engine in sqlite postgresql; do \
		SVC_TEST_LOAD=full scripts/with-postgres $(GO) test -count=1 -timeout 20m -v -run "TestLoad$$/^$$engine" ./cmd/fillbook || exit 1; done

vet: ## Run go vet on both modules, as CI does
	CGO_ENABLED=0 $(GO) vet -trimpath ./...
	CGO_ENABLED=0 $(GO) vet -C bench -trimpath ./...

lint: ## Check formatting, style and import rules
	scripts/lint

check: lint test ## Run lint and test

# Measurements need a PostgreSQL that waits for the disk, as in production.
MEASURE := scripts/with-postgres --optional --durable bin/bench

bench-build: build
	$(GO) build -C bench -o ../bin/bench .

bench: bench-build ## Measure a server at 1k, 10k and 100k fills on both engines (ten minutes or more)
	$(MEASURE) run -binary bin/fillbook -label $(VERSION) -engines sqlite,postgres -sizes 1000,10000,100000 -out bin/bench.json

bench-full: bench-build ## Like bench, at 1m fills, and with 20,000 users (an hour or more); for docs/performance.md
	$(MEASURE) run -binary bin/fillbook -label $(VERSION) -engines sqlite,postgres -sizes 1000,10000,100000,1000000 -out bin/bench-full.json
	$(MEASURE) simulate -binary bin/fillbook -label $(VERSION) -engines postgres -users 20000 -fills 500 -clients 64 -out bin/simulation.json

soak-load: bench-build ## Load a server with several users for 10 minutes per engine; errors and memory
	$(MEASURE) soak -binary bin/fillbook -label $(VERSION) -engines sqlite,postgres -for 10m -out bin/soak.json

bench-docs: bench-build ## Write bin/bench-full.json and bin/soak.json to docs/performance.md
	bin/bench render -into docs/performance.md -svg docs/performance.svg bin/bench-full.json bin/soak.json

bench-compare: bench-build ## Compare two runs: make bench-compare OLD=a.json NEW=b.json
	@bin/bench compare $(OLD) $(NEW)

bench-parts: ## Run the benchmarks of single packages
	scripts/with-postgres --optional $(GO) test -run '^$$' -bench . -benchmem ./...

release: ## Build dist/: archives for five systems, SHA256SUMS, SBOM
	$(GO) run ./scripts/release -version $(VERSION) -out dist

image: ## Build the container image fillbook:latest (with docker, podman or buildah)
	VERSION=$(VERSION) scripts/image

web: ## Build the web page from web/ into internal/webui/page (needs Node)
	scripts/web

web-check: ## Verify that the committed page is built from web/, and check it
	scripts/web --check

web-test: ## Test the page in Chromium with the program
	scripts/with-browser npm --prefix web run test:browser

screenshots: ## Take pictures of every screen into web/screenshots, and those of the README
	scripts/with-browser npm --prefix web run screenshots

docs-page: ## Download the script of the API reference again (needs Node)
	scripts/vendor-docs

clean: ## Remove build results; data stays
	rm -rf bin dist
