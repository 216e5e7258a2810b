# Fillbook. `make` alone lists what can be made; only the web targets need Node.

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

# A static binary without paths of the machine it was built on. The version is
# ours to tell, so Go need not ask git (which refuses in a borrowed checkout).
BUILD := CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION)'

.DEFAULT_GOAL := help
.PHONY: help run build test soak lint check bench bench-full bench-parts bench-compare bench-docs soak-load soak-hostile release image web web-check web-test screenshots docs-page clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

run: build ## Build what changed and serve on SQLite at http://127.0.0.1:8080
	./bin/fillbook serve

build: ## Build bin/fillbook, one static file
	$(BUILD) -o bin/fillbook ./cmd/fillbook

test: ## Run every test: SQLite, a throwaway PostgreSQL, the page in a browser
	scripts/test

soak: ## Kill servers a thousand times and their database fifty (a quarter of an hour or so)
	SVC_TEST_KILL_ROUNDS=1000 SVC_TEST_OUTAGES=50 scripts/with-postgres $(GO) test -count=1 -timeout 4h -v \
		-run 'TestKilled|TestOutage|TestAcknowledgedWritesSurviveKill|TestMigrationSurvivesKill' ./cmd/fillbook ./internal/instances ./internal/db
	scripts/with-postgres $(GO) test -count=1 -timeout 1h -run TestSourcesInAnyOrder ./internal/ledger -rapid.checks=300

soak-hostile: ## Serve others under 1000 half requests, 200 slow readers and 100 slow uploads, on each engine
	for engine in sqlite postgresql; do \
		SVC_TEST_LOAD=full scripts/with-postgres $(GO) test -count=1 -timeout 20m -v -run "TestLoad$$/^$$engine" ./cmd/fillbook || exit 1; done

lint: ## Check formatting, style and the rules of who may import whom
	scripts/lint

check: lint test ## Everything a change must pass

# What is measured needs a PostgreSQL that waits for the disk, as a real one does.
MEASURE := scripts/with-postgres --optional --durable $(GO) run ./bench

bench: build ## Measure a server at 1k, 10k and 100k fills on both engines (ten minutes or more)
	$(MEASURE) run -binary bin/fillbook -label $(VERSION) -engines sqlite,postgres -sizes 1000,10000,100000 -out bin/bench.json

bench-full: build ## The same, and at a million fills (half an hour or more); for docs/performance.md
	$(MEASURE) run -binary bin/fillbook -label $(VERSION) -engines sqlite,postgres -sizes 1000,10000,100000,1000000 -out bin/bench-full.json

soak-load: build ## Let several users at a server for 10 minutes an engine; errors and memory
	$(MEASURE) soak -binary bin/fillbook -label $(VERSION) -engines sqlite,postgres -for 10m -out bin/soak.json

bench-docs: ## Put bin/bench-full.json and bin/soak.json into docs/performance.md
	$(GO) run ./bench render -into docs/performance.md -svg docs/performance.svg bin/bench-full.json bin/soak.json

bench-compare: ## Say what changed between two runs: make bench-compare OLD=a.json NEW=b.json
	@$(GO) run ./bench compare $(OLD) $(NEW)

bench-parts: ## Run the benchmarks of single packages
	scripts/with-postgres --optional $(GO) test -run '^$$' -bench . -benchmem ./...

release: ## Build dist/: archives for five systems, SHA256SUMS, SBOM
	$(GO) run ./scripts/release -version $(VERSION) -out dist

image: ## Build the container image fillbook:latest (with docker, podman or buildah)
	VERSION=$(VERSION) scripts/image

web: ## Build the web page from web/ into internal/webui/page (needs Node)
	scripts/web

web-check: ## Prove that the committed page is what web/ gives, and check it
	scripts/web --check

web-test: ## Try the page in a real Chromium against the real program
	scripts/with-browser npm --prefix web run test:browser

screenshots: ## Take pictures of every screen into web/screenshots, and those of the README
	scripts/with-browser npm --prefix web run screenshots

docs-page: ## Fetch the script of the API reference anew (needs Node)
	scripts/vendor-docs

clean: ## Remove what was built; data stays
	rm -rf bin dist
