# `make test` is what a contributor runs before each commit. CI runs it and then
# `make check`. `make release-check` compares with other releases, platforms and projects.
# Everything else is a part of the three or a tool for one question. The tools are pinned
# here, in one place. DECORUM_SLOW=4 gives tests four times the time on a slow machine.

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
APIDIFF     := golang.org/x/exp/cmd/apidiff@v0.0.0-20261113113407-e3970619a1a4
# The second Go release that the code must build and pass with.
NEXT_GO ?= go1.27.0

BENCH    ?= .
COUNT    ?= 6
FUZZTIME ?= 30s
OBJECTS  ?= 1000000
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
.PHONY: help test check release-check require vet fmt staticcheck tidy core transcripts pages race soak-minute budget kinds conformance shared-stores real-conformance record e2e modules released \
	comparisons other-projects console console-files second-postgres suites tools cross next-go old-kubectls lint-modules client-suite project-suite lint lint-tests api-changes bench peers growth growth-file benchmarks \
	bench-compare soak embedded-faults flaky fuzz api cover vuln release

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: ## what a contributor runs before each commit: the core, the transcripts, the pages of the documentation (needs go and make)
	@.ci/require go
	@.ci/test

check: require staticcheck race soak-minute budget e2e conformance shared-stores modules lint-modules console-files comparisons ## the rest of what CI runs: the race detector, kubectl, databases, nested modules, comparisons with upstream's code
	@echo "all checks passed"

release-check: require released api-changes lint-tests cross next-go old-kubectls second-postgres other-projects client-suite project-suite ## other releases, platforms and projects: before a release, and when the subject of a part changes
	@cat .ci/release-checks.txt

lint: require vet fmt tidy staticcheck lint-modules lint-tests ## vet, gofmt, tidy go.mod, staticcheck, in all modules

require:
	@.ci/require go make cc

vet:
	@.ci/stage vet "the core and its tests, as far as vet needs them" go vet ./...

fmt:
	@.ci/stage fmt nothing .ci/gofmt

staticcheck:
	@.ci/stage staticcheck "staticcheck, and the core as far as it needs it" go run $(STATICCHECK) ./...

tidy:
	@.ci/stage tidy nothing go mod tidy -diff

core: ## the tests of the core module, as users compile it
	@.ci/stage core "the core and its test programs" .ci/core plain

transcripts: ## the answers of a real API server, replayed in the process of a test
	@.ci/stage transcripts "module cel and one test program" .ci/modules transcripts

pages: ## the commands of the documentation, under a kubectl of this machine
	@.ci/stage pages "three examples, if there is a kubectl" .ci/gotest -vet=off -count=1 ./internal/test/pages

race: ## the core module under the race detector, the soak for 10 s
	@.ci/stage race "the core and its test programs once more, for the race detector" .ci/core race

soak-minute:
	@.ci/stage soak-minute "nothing new after race" env DECORUM_SOAK=1m .ci/gotest -vet=off -race -count=1 ./internal/test/soak

budget: ## what a host links: packages, modules, megabytes; who may import whom; which functions a request enters
	@.ci/stage budget "some twenty programs, module k8s among their parts" .ci/gotest -vet=off -count=1 -v ./internal/test/budget

kinds: ## what a kind costs a host: processor time to compile it and bytes of the program, for 1, 50 and 200 kinds (takes minutes)
	go run ./internal/test/budget/kinds

cross: ## build for linux, darwin and windows on amd64 and arm64
	@.ci/part cross "the core for five further platforms" .ci/cross

next-go: ## vet, build and test with a second Go release (NEXT_GO=...)
	@.ci/part next-go "the core and its test programs with another Go" .ci/next-go $(NEXT_GO)

modules: ## test the nested modules that users import or copy; under the race detector those that start goroutines
	@.ci/stage modules "the nested modules, client-go, and the client and the server of etcd" .ci/modules test

lint-modules: ## check that all go.mod files are tidy, and vet the nested modules that users import or copy
	@.ci/stage lint-modules "what vet needs of these modules" .ci/modules lint

lint-tests: ## vet the nested modules that contain only tests
	@.ci/part lint-tests "what vet needs of Kubernetes and other projects" .ci/modules lint-tests

console: ## build the page of rest/console from TypeScript (needs node and npm)
	@.ci/console build

console-files: ## the committed files of the page are those that its TypeScript builds, byte for byte
	@.ci/stage console-files nothing .ci/console check

second-postgres: ## the tests of storage/postgres on another major version of Postgres (needs npm)
	@.ci/part second-postgres "nothing new after modules" .ci/second-postgres

released: ## make a release in a scratch clone, and build its modules as users get them, in a program outside of the repository
	@.ci/part released "all released modules, from outside" .ci/released

api-changes: ## compare the exported API of the released modules with the last release; a change that breaks programs must be in the changelog
	@.ci/part api-changes "the released modules that their types need" .ci/api-changes $(APIDIFF)

comparisons: ## the nested modules that compare with upstream's code, or use clients and a browser; faults of etcd
	@.ci/stage comparisons "client-go, controller-runtime, k8s.io/apiserver and parts of Kubernetes" .ci/modules check

other-projects: ## the nested modules that compare with programs of other projects, or measure
	@.ci/part other-projects "helm, controller-runtime and other projects" .ci/modules others

conformance: ## the transcripts of a real API server, replayed against a program with the kinds of module k8s
	@.ci/stage conformance "module k8s and two programs" .ci/conformance own

shared-stores: ## the same with the objects in etcd and in Postgres
	@.ci/stage shared-stores "the server of etcd" .ci/conformance shared

# Not a part of release-check: to compile Kubernetes takes seven minutes of CPU time. The answers of kube-apiserver change with its release only,
# and the recorded ones are compared by the targets above.
real-conformance: ## the same against kube-apiserver itself, built from the module proxy
	@.ci/stage real-conformance "kube-apiserver" .ci/real-conformance

record: ## record the transcripts again, from the kube-apiserver of another release, built from the module proxy (RELEASE=1.38.0)
	@test -n "$(RELEASE)" || { echo "set RELEASE to a release of Kubernetes, such as 1.38.0" >&2; exit 2; }
	@.ci/stage record "kube-apiserver" env RECORD="$(RELEASE)" .ci/real-conformance

e2e: ## the hosts, the examples and the pages of the documentation under the newest kubectl, which it builds
	@.ci/stage e2e "kubectl, client-go, module k8s and kubeapi" .ci/e2e newest

old-kubectls: ## the hosts and the examples under the kubectls of older releases
	@.ci/part old-kubectls "two older kubectls" .ci/e2e older

client-suite: ## the envtest suite of controller-runtime's client, with kubeapi
	@.ci/part client-suite "controller-runtime and its suite" .ci/suites client

project-suite: ## the tests of a project that kubebuilder generates, with kubeapi
	@.ci/part project-suite "kubebuilder and a project of it" .ci/kubebuilder

suites: ## envtest suites of controller-runtime, with kubeapi in the place of kube-apiserver and etcd (SUITES="client cache"); programs of other projects
	@.ci/stage suites "controller-runtime and its suites" .ci/suites $(SUITES)
	@.ci/stage suites "programs of other projects" .ci/modules programs

tools: ## twelve popular tools, against a plain host and kubeapi: kubectl, helm, k9s, OpenTofu, generators, an MCP server (docs/tools.md)
	@.ci/stage tools "k9s, OpenTofu and other tools, some ten minutes the first time" .ci/tools

flaky: ## look for tests that fail now and then: each package 20 times beside eight busy processes (PACKAGES=./..., for at most FLAKY=60m; goes on where it stopped)
	@.ci/flaky $(FLAKY) $(PACKAGES)

bench: ## what requests cost beside the least that they can cost: a table of ratios, least of ten rounds (BENCH=pattern)
	@.ci/bench '$(BENCH)'

peers: ## the same load on Decorum, on other API servers and on a bare handler: a table of processor time (KUBEBUILDER_ASSETS adds kube-apiserver; takes minutes, and the first time ten more)
	cd internal/test/peers && go vet ./... && go test -count=1 . && go run .

growth: ## how costs grow with objects, watches, writers and a day of writes: tables, and plots in docs/pictures (takes minutes, and 10 GB of memory)
	cd rest/internal/growth && DECORUM_GROWTH=$(CURDIR)/docs/pictures go test -count=1 -timeout 0 -run 'TestGrowth$$|TestDayOfWrites|TestContention'

growth-file: ## an API whose objects do not fit into the memory for their texts: a table of times and memory (OBJECTS=1000000; says first which disk and time it needs, and keeps the file)
	@mkdir -p .cache
	cd rest/internal/growth && DECORUM_OBJECTS=$(OBJECTS) DECORUM_FILE=$(CURDIR)/.cache/growth-$(OBJECTS).db go test -count=1 -timeout 0 -run '^$$' -bench MoreObjectsThanMemory -benchtime 1x

benchmarks: ## all benchmarks (BENCH=pattern COUNT=runs)
	go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) ./...

bench-compare: ## compare benchmarks with a commit (REF=commit BENCH=pattern COUNT=runs)
	@test -n "$(REF)" || { echo "say what to compare with: make bench-compare REF=main" >&2; exit 2; }
	@.ci/bench-compare "$(REF)" '$(BENCH)' $(COUNT)

soak: ## the consistency soaks, ours and that of client-go, killed processes, replicas over a failing etcd and a failing Postgres, all under the race detector, ten thousand connections, all attacks of internal/test/hostile, a quiet user beside a flood, a million writes that a controller must see, and comparisons with upstream over new random input (SOAK=10m each, KILLS=1000, FAULTS=200, ROUNDS=1m each)
	@.ci/require strace
	DECORUM_SOAK=$(SOAK) go test -race -count=1 -timeout 0 -v ./internal/test/soak
	DECORUM_TORTURE=$(KILLS) go test -race -count=1 -timeout 0 -v ./internal/test/torture
	DECORUM_CONNECTIONS=10000 go test -count=1 -timeout 0 -v -run 'TestConnections|TestPlaces' ./internal/test/hostile
	DECORUM_ROUNDS=$(ROUNDS) go test -race -count=1 -timeout 0 -v ./internal/test/hostile
	DECORUM_WRITES=1000000 go test -count=1 -timeout 0 -v -run ReadTheirOwnWrites ./rest/controller
	DECORUM_FAIRNESS=10s go test -count=1 -timeout 0 -v -run '^$$' -bench QuietUserBesideAFlood -benchtime 1x ./rest/fairness
	cd storage/etcd/etcdtest && DECORUM_TORTURE=$(FAULTS) go test -race -count=1 -timeout 0 -v -run 'TestChaos|TestDefinitions|TestShards' ./chaos
	cd storage/postgres && DECORUM_TORTURE=$(FAULTS) go test -race -count=1 -timeout 0 -v -run 'TestChaos|TestStore|TestRequests' .
	cd internal/test/clients && DECORUM_SOAK=$(SOAK) go test -race -count=1 -timeout 0 -v -run TestSoak .
	cd internal/test/oracle && DECORUM_ROUNDS=$(ROUNDS) go test -count=1 -timeout 0 .
	cd k8s/kubeapi/internal/oracle && DECORUM_ROUNDS=$(ROUNDS) go test -count=1 -timeout 0 .

embedded-faults: ## kill, pause and cut off replicas that run etcd themselves, under the race detector (FAULTS=200)
	cd storage/etcd/etcdtest && DECORUM_TORTURE=$(FAULTS) go test -race -count=1 -timeout 0 -v -run TestChaosOfEmbeddedMembers ./chaos

fuzz: ## run every fuzz target for a while (FUZZTIME=30s)
	@.ci/fuzz $(FUZZTIME)

api: ## write the exported API of the released modules into docs/api, which a test compares
	go run ./internal/test/exports

cover: ## coverage of the core module, by function, and coverage.html
	go test -coverpkg ./... -coverprofile coverage.out ./...
	go tool cover -html coverage.out -o coverage.html
	go tool cover -func coverage.out | tail -n 1

release: ## commit and tag a release, and push nothing (VERSION=v1.2.3)
	@.ci/release "$(VERSION)"

vuln: ## known vulnerabilities in what is linked
	go run $(GOVULNCHECK) ./...
