# `make test` is what a contributor runs before a change lands. CI runs it and then
# `make check`, which compares with other releases and other servers. Everything else
# is a part of the two or a tool for one question. The tools are pinned here, in one place.

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
# The second Go release that the code must build and pass with.
NEXT_GO ?= go1.27.0

BENCH    ?= .
COUNT    ?= 6
FUZZTIME ?= 30s
SOAK     ?= 10m
KILLS    ?= 1000
FAULTS   ?= 200
ROUNDS   ?= 1m
FLAKY    ?= 60m
PACKAGES ?= ./...

# A checkout may belong to somebody else than who runs this; git then refuses to
# tell the version that Go would stamp into a program.
export GOFLAGS := $(strip $(GOFLAGS) -buildvcs=false)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help test check console console-files second-postgres require vet fmt staticcheck tidy race plain budget conformance shared-stores real-conformance e2e modules released \
	suites cross next-go old-kubectls other-modules lint-modules client-suite project-suite lint bench peers growth benchmarks bench-compare soak flaky fuzz cover vuln release

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The order is what a newcomer wants to know first: the core, one kubectl, the transcripts. Stages that test do so without vet, because
# the stages vet and lint-modules run it.
test: require vet fmt tidy race plain budget e2e conformance modules ## what must hold before a change lands
	@echo "all stages passed"

check: require staticcheck pure-race lint-modules released console-files shared-stores second-postgres other-modules cross next-go old-kubectls client-suite project-suite ## staticcheck, a release, upstream's code as oracle, clients, faults of stores, other platforms, another Go release, old kubectls, suites of operators (CI runs it too)
	@echo "all checks passed"

lint: require vet fmt tidy staticcheck lint-modules ## vet, gofmt, tidy go.mod, staticcheck, in all modules

require:
	@.ci/require go make cc

vet:
	@.ci/stage vet go vet ./...

fmt:
	@.ci/stage gofmt .ci/gofmt

staticcheck:
	@.ci/stage staticcheck go run $(STATICCHECK) ./...

tidy:
	@.ci/stage tidy go mod tidy -diff

race: ## the packages of the core module that start goroutines, under the race detector, the soak for 10 s
	@.ci/stage race env DECORUM_SOAK=10s .ci/core race

plain: ## the other packages, and the tests that differ without the race detector (allocation counts)
	@.ci/stage plain .ci/core plain

pure-race: ## the other packages under the race detector, and the soak for a minute
	@.ci/stage pure-race .ci/core pure-race
	@.ci/stage soak-minute env DECORUM_SOAK=1m go test -vet=off -race -count=1 -timeout 15m ./internal/soak

budget: ## what a host links: packages, modules, megabytes; who may import whom; which functions a request enters
	@.ci/stage budget go test -vet=off -count=1 -v ./internal/budget

cross: ## build for linux, darwin and windows on amd64 and arm64
	@.ci/stage cross .ci/cross

next-go: ## vet, build and test with a second Go release (NEXT_GO=...)
	@.ci/stage next-go .ci/next-go $(NEXT_GO)

modules: ## test the nested modules that users import or copy
	@.ci/stage modules .ci/modules test

lint-modules: ## vet the nested modules, and check that their go.mod is tidy
	@.ci/stage lint-modules .ci/modules lint

console: ## build the page of rest/console from TypeScript (needs node and npm)
	@.ci/console build

console-files: ## the committed files of the page are those that its TypeScript builds, byte for byte
	@.ci/stage console-files .ci/console check

second-postgres: ## the tests of storage/postgres on another major version of Postgres (needs npm)
	@.ci/stage second-postgres .ci/second-postgres

released: ## make a release in a scratch clone, and build its modules as users get them, in a program outside of the repository
	@.ci/stage released .ci/released

other-modules: ## test the nested modules that compare with upstream's code, or build clients, an old kubectl, helm or Kubernetes; faults of etcd
	@.ci/stage other-modules .ci/modules check

conformance: ## the transcripts of a real API server, replayed against ours
	@.ci/stage conformance .ci/conformance own

shared-stores: ## the same with the objects in etcd and in Postgres
	@.ci/stage shared-stores .ci/conformance shared

# Not a part of check: to compile Kubernetes takes seven minutes of CPU time. The answers of kube-apiserver change with its release only, and
# the recorded ones are compared by the targets above.
real-conformance: ## the same against kube-apiserver itself, built from the module proxy
	@.ci/stage real-conformance .ci/real-conformance

e2e: ## the hosts, the examples and the pages of the documentation under the newest kubectl
	@.ci/stage e2e .ci/e2e newest

old-kubectls: ## the hosts and the examples under the kubectls of older releases
	@.ci/stage old-kubectls .ci/e2e older

client-suite: ## the envtest suite of controller-runtime's client, with kubeapi
	@.ci/stage client-suite .ci/suites client

project-suite: ## the tests of a project that kubebuilder generates, with kubeapi
	@.ci/stage project-suite .ci/kubebuilder

suites: ## envtest suites of controller-runtime, with kubeapi in the place of kube-apiserver and etcd (SUITES="client cache"); programs of other projects
	@.ci/stage suites .ci/suites $(SUITES)
	@.ci/stage programs .ci/modules programs

flaky: ## look for tests that fail now and then: each package 20 times beside eight busy processes (PACKAGES=./..., for at most FLAKY=60m; goes on where it stopped)
	@.ci/flaky $(FLAKY) $(PACKAGES)

bench: ## what requests cost beside the least that they can cost: a table of ratios, least of ten rounds (BENCH=pattern)
	@.ci/bench '$(BENCH)'

peers: ## the same load on Decorum, on other API servers and on a bare handler: a table of processor time (KUBEBUILDER_ASSETS adds kube-apiserver; takes minutes, and the first time ten more)
	cd internal/peers && go vet ./... && go test -count=1 . && go run .

growth: ## how costs grow with objects, watches, writers and a day of writes: tables, and plots in docs/pictures (takes minutes, and 10 GB of memory)
	cd rest/internal/growth && DECORUM_GROWTH=$(CURDIR)/docs/pictures go test -count=1 -timeout 0 -run 'TestGrowth$$|TestDayOfWrites|TestContention'

benchmarks: ## all benchmarks (BENCH=pattern COUNT=runs)
	go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) ./...

bench-compare: ## compare benchmarks with a commit (REF=commit BENCH=pattern COUNT=runs)
	@test -n "$(REF)" || { echo "say what to compare with: make bench-compare REF=main" >&2; exit 2; }
	@.ci/bench-compare "$(REF)" '$(BENCH)' $(COUNT)

soak: ## the consistency soaks, ours and that of client-go, killed processes, replicas over a failing etcd and a failing Postgres, all under the race detector, ten thousand connections, all attacks of internal/hostile, a quiet user beside a flood, and comparisons with upstream over new random input (SOAK=10m each, KILLS=1000, FAULTS=200, ROUNDS=1m each)
	@.ci/require strace
	DECORUM_SOAK=$(SOAK) go test -race -count=1 -timeout 0 -v ./internal/soak
	DECORUM_TORTURE=$(KILLS) go test -race -count=1 -timeout 0 -v ./internal/torture
	DECORUM_CONNECTIONS=10000 go test -count=1 -timeout 0 -v -run 'TestConnections|TestPlaces' ./internal/hostile
	DECORUM_ROUNDS=$(ROUNDS) go test -race -count=1 -timeout 0 -v ./internal/hostile
	DECORUM_FAIRNESS=10s go test -count=1 -timeout 0 -v -run '^$$' -bench QuietUserBesideAFlood -benchtime 1x ./rest/fairness
	cd storage/etcd/etcdtest && DECORUM_TORTURE=$(FAULTS) go test -race -count=1 -timeout 0 -v -run 'TestChaos|TestDefinitions' ./chaos
	cd storage/postgres && DECORUM_TORTURE=$(FAULTS) go test -race -count=1 -timeout 0 -v -run 'TestChaos|TestStore|TestRequests' .
	cd internal/clients && DECORUM_SOAK=$(SOAK) go test -race -count=1 -timeout 0 -v -run TestSoak .
	cd internal/oracle && DECORUM_ROUNDS=$(ROUNDS) go test -count=1 -timeout 0 .

fuzz: ## run every fuzz target for a while (FUZZTIME=30s)
	@.ci/fuzz $(FUZZTIME)

cover: ## coverage of the core module, by function, and coverage.html
	go test -coverpkg ./... -coverprofile coverage.out ./...
	go tool cover -html coverage.out -o coverage.html
	go tool cover -func coverage.out | tail -n 1

release: ## commit and tag a release, and push nothing (VERSION=v1.2.3)
	@.ci/release "$(VERSION)"

vuln: ## known vulnerabilities in what is linked
	go run $(GOVULNCHECK) ./...
