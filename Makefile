# Every target sets up what it uses. Go is enough to build and to run most tests; those of real fuzzers, suites and
# clients want Python 3, Node with npm, and a JDK with Maven. CONTRIBUTING.md says what is skipped where.

GO      ?= go
PYTHON  ?= python3
MODULE  := github.com/flaketap/flaketap
BIN     := bin/flaketap
AGENT   := bin/flaketap-hooks.jar
TOOLS   := .tools
PINNED  := internal/testbed/tools
VENV    := $(TOOLS)/venv
NODE    := $(TOOLS)/node
JAVA    := $(TOOLS)/java
POCKET  := $(TOOLS)/pocketbase
BROWSER := $(TOOLS)/browser
FIREFOX := $(TOOLS)/firefox
SHELLS  := $(TOOLS)/shells
GECKODRIVER := 0.37.1
LIBFAKETIME := 0.9.10-2.1
LINTER  := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
# What the program is built of: Go, and the files that are embedded in it.
SOURCES := $(shell find . -name '.?*' -prune -o -path ./bin -prune -o -path ./dist -prune -o -path ./demo-out -prune -o -path ./docs -prune -o \
	-path ./$(PINNED) -prune -o -path ./mock/hooks/jvm -prune -o -name testdata -prune -o -type f -not -name '*.md' -print) go.mod go.sum

# A test's name says where it runs: TestRealNodeJest in the shard node of make test-real, TestEvalSeeds in make eval, and
# any other in make test. targets_test.go holds this list, and those below, against the tests that there are.
SHARDS  := python node jvm
SHARD   ?= $(SHARDS)
empty   :=
space   := $(empty) $(empty)
# Some of the real tests wait: for what hangs, for jobs, for midnight. One more than there are processors runs meanwhile.
ATONCE   = $$(($$(nproc 2>/dev/null || echo 1) + 1))
REAL     = ^TestReal(?i:$(subst $(space),|,$(strip $(SHARD))))
ORDINARY := -skip '^Test(Real|Eval)'

# Packages in which goroutines live are tested under the race detector, which needs a C compiler; without one their tests run all the
# same. Its build checks pointers too, and ends the process where one leads astray. bbolt believes the pages of a file, so
# a damaged one, which the tests read, would end them; an ordinary build gets a panic there, and the store turns it into
# an error.
RACED   := capture capture/client capture/endpoint capture/hub capture/hub/server capture/ship internal/demo internal/console internal/doctor internal/interrupt internal/certs exchange/redact internal/ahead internal/tcp mock mock/intercept mock/serve proxy replay replay/experiment replay/line replay/queue replay/service report/ui store suite/mend suite/stabilize suite/steady suite/verify waits/playwright waits/webdriver waits/trial
# A process under the race detector waits for a second when it ends, for races that are about to be told; the stages that
# tests start by the dozen end at once but for a moment.
export GORACE := atexit_sleep_ms=10
RACE    := $(shell command -v $$($(GO) env CC) >/dev/null 2>&1 && echo "-race -gcflags=go.etcd.io/bbolt/...=-d=checkptr=0")
PLAIN    = $$($(GO) list ./... | grep -vxF $(RACED:%=-e $(MODULE)/%))

# The tests find the Python of the virtual environment first, and with it pytest and the fuzzer.
FAKETIME = $$(realpath -e "$(CURDIR)/$(TOOLS)"/faketime/usr/lib/*/faketime/libfaketimeMT.so.1 2>/dev/null)
TESTENV = FLAKETAP_TEST_PROGRAM="$(CURDIR)/$(BIN)" FLAKETAP_LIBFAKETIME="$(FAKETIME)" FLAKETAP_VENV="$(CURDIR)/$(VENV)" PATH="$(CURDIR)/$(VENV)/bin:$$PATH"

.PHONY: build agent demo site browser firefox test test-real check-long eval lint cross cover bench release tools clean

build: $(BIN)

# The binary is static: no C library is needed where it runs.
$(BIN): $(SOURCES)
	CGO_ENABLED=0 $(GO) build -trimpath -o $@ ./cmd/flaketap

# The hooks of the JVM for mock search --hooks: one file with all that it needs, for Java 11 and later, found beside the binary.
agent: $(AGENT)

$(AGENT): mock/hooks/jvm/pom.xml $(wildcard mock/hooks/jvm/src/main/java/flaketap/hooks/*.java)
	@mkdir -p $(@D) $(TOOLS)/agent
	@if command -v mvn >/dev/null && command -v javac >/dev/null; then \
		mvn -q -B -Dstyle.color=never -f $< -Dbuild.folder="$(CURDIR)/$(TOOLS)/agent" compiler:compile@start compiler:compile@hooks jar:jar shade:shade >$(TOOLS)/agent.log && \
			mv $(TOOLS)/agent/flaketap-hooks.jar $@; \
	else \
		echo "make: there is no JDK with Maven: the hooks of the JVM are left out"; \
	fi

# The whole job, for real: a fuzzer against an API, recorded, replayed, judged; a suite written and run.
demo: $(BIN) $(VENV)/.demo
	$(BIN) demo --python "$(VENV)/bin/python" --out demo-out

# What a change is tested with while it is made: every package, the commands, a real fuzzer, real suites of pytest and Jest.
test: $(BIN) $(VENV)/.done $(NODE)/.done $(TOOLS)/faketime/.done $(SHELLS)/.done
	$(TESTENV) $(GO) test $(ORDINARY) -timeout 30m $(PLAIN)
	$(TESTENV) $(GO) test $(ORDINARY) $(RACE) -timeout 30m $(RACED:%=./%)

# All real fuzzers, runners, clients and services, or those of one shard: make test-real SHARD=jvm.
test-real: $(BIN) $(AGENT) tools
	$(if $(filter-out $(SHARDS),$(SHARD)),$(error SHARD is any of: $(SHARDS)))
	$(TESTENV) $(GO) test -run '$(REAL)' -parallel $(ATONCE) -timeout 60m ./cmd/flaketap

# The repetitions, and a while of fuzzing for each decoder.
check-long: $(BIN) $(AGENT) tools
	$(TESTENV) FLAKETAP_LONG=1 $(GO) test -timeout 240m -count=1 $(PLAIN)
	$(TESTENV) FLAKETAP_LONG=1 $(GO) test $(RACE) -timeout 120m -count=1 $(RACED:%=./%)
	$(GO) test $(RACE) -count=50 -short -timeout 120m $(RACED:%=./%) ./internal/...
	.ci/fuzz 60s

# What is measured rather than tested: hundreds of runs, all seeds of the labelled APIs, planted faults. Never in CI.
# Those of cmd/flaketap run one after the other, and have one timeout: the sum of what BENCHMARKS.md gives each. Suites that
# people wrote have an hour for each of 15; traces, and suites with mocks, 5 h each; hooks 5 h (2 h for 600 trials); triage 4 h;
# services, suites that hold, and variants (an hour for each of 3 APIs) 3 h each; suites with mocks of services 10 h (for 6 APIs);
# faults behind patch and steady 90 and 60 min; time, and maps by workers, 1 h each. That is 58 h, and 12 h are for those that
# have none there, each of which takes less than one.
eval: $(BIN) $(AGENT) tools $(TOOLS)/spring/.done
	FLAKETAP_EVAL_TRIALS=$${FLAKETAP_EVAL_TRIALS:-1500} FLAKETAP_EVAL_BY=$${FLAKETAP_EVAL_BY:-both} $(TESTENV) $(GO) test -run '^TestEval' -timeout 70h -count=1 -v ./...

# The formatting, a tidy module, the linters.
lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "gofmt these files:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) mod tidy -diff
	$(GO) run $(LINTER) run

# What is released for other systems: vetted there with all tests that need no Unix, and built. Nobody runs what comes of it, so
# that nothing is optimized, which takes a third of the time away.
CROSS ?= windows/amd64 darwin/arm64
HASTE := -gcflags='all=-N -l -dwarf=false'
cross:
	@set -e; for system in $(CROSS); do \
		export CGO_ENABLED=0 GOOS=$${system%/*} GOARCH=$${system#*/}; \
		echo "$(GO) vet and build for $$system"; \
		$(GO) vet $(HASTE) ./...; \
		$(GO) build $(HASTE) -ldflags='-s -w' -o /dev/null ./cmd/flaketap; \
	done

# The share of statements that make test reaches, and then with make test-real; programs that the tests start count.
cover: tools
	$(TESTENV) .ci/cover

# Beside the recorder runs mitmdump, which has an environment of its own: it wants other versions than the tests.
bench: $(BIN) $(TOOLS)/mitmproxy/.done
	PATH="$(CURDIR)/$(TOOLS)/mitmproxy/bin:$$PATH" .ci/bench 5

# The documentation as a site that can be searched, in dist/site/: open index.html there.
site:
	$(GO) run ./.release/site dist/site

# What is released, in dist/: archives for six systems, packages, checksums, and what is in each. The same commit gives the
# same bytes. It needs the clone's history, of which the version is read, and a JDK with Maven, and fetches two tools.
release:
	.release/build

# Packages of Python, Node and Java at pinned versions, and an API written in Go, in a folder of the repo's own. Where
# there is no Python, or one without venv, no npm or no Maven, what needs them says so and goes on.
tools: $(TOOLS)/faketime/.done $(SHELLS)/.done $(VENV)/.done $(TOOLS)/pytest-snapshot/.done $(NODE)/.done $(JAVA)/.done $(POCKET)/.done

# Bytecode is left to the first import: most of what is installed is never imported.
PIP = $(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile -r

# The demo needs the fuzzer and pytest alone.
$(VENV)/.demo: $(PINNED)/demo-requirements.txt
$(TOOLS)/mitmproxy/.done: $(PINNED)/mitmproxy-requirements.txt

$(VENV)/.demo $(TOOLS)/mitmproxy/.done:
	@mkdir -p $(TOOLS)
	@if $(PYTHON) -m venv $(@D) >$(@D).log 2>&1; then \
		$(PIP) $< && touch $@; \
	else \
		echo "make: no Python environment could be made (see $(@D).log): what needs it is left out"; \
	fi

$(VENV)/.done: $(PINNED)/requirements.txt $(VENV)/.demo
	@test ! -e $(VENV)/.demo || { $(PIP) $< && touch $@; }

# pytest-snapshot has an option that syrupy has too, so it lies apart: pytest loads it where it is on the path only.
$(TOOLS)/pytest-snapshot/.done: $(PINNED)/pytest-snapshot-requirements.txt $(VENV)/.done
	@test ! -e $(VENV)/.done || { $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps --upgrade \
		--target $(@D) -r $< && touch $@; }

$(NODE)/.done: $(PINNED)/node/package.json $(PINNED)/node/package-lock.json
	@mkdir -p $(NODE)
	@if command -v npm >/dev/null && command -v node >/dev/null; then \
		cp $(PINNED)/node/package.json $(PINNED)/node/package-lock.json $(NODE) && \
		npm ci --prefix $(NODE) --loglevel error --no-audit --no-fund --ignore-scripts >$(TOOLS)/node.log && touch $@; \
	else \
		echo "make: there is no Node with npm: what needs it is left out"; \
	fi

$(JAVA)/.done: $(PINNED)/java/pom.xml $(PINNED)/java/json.xml $(PINNED)/java/grpc.xml
	@mkdir -p $(JAVA)
	@if command -v mvn >/dev/null && command -v javac >/dev/null; then \
		mvn -q -B -Dstyle.color=never -f $(PINNED)/java/pom.xml dependency:copy-dependencies -DoutputDirectory="$(CURDIR)/$(JAVA)" >$(TOOLS)/java.log && \
			mvn -q -B -Dstyle.color=never -f $(PINNED)/java/json.xml dependency:copy-dependencies -DoutputDirectory="$(CURDIR)/$(JAVA)/json" >>$(TOOLS)/java.log && \
			mvn -q -B -Dstyle.color=never -f $(PINNED)/java/grpc.xml dependency:copy-dependencies -DoutputDirectory="$(CURDIR)/$(JAVA)/grpc" >>$(TOOLS)/java.log && touch $@; \
	else \
		echo "make: there is no JDK with Maven: what needs it is left out"; \
	fi

# A service of Spring Boot, which is measured and not tested.
$(TOOLS)/spring/.done: $(PINNED)/java/spring.xml
	@mkdir -p $(@D)
	@if command -v mvn >/dev/null && command -v javac >/dev/null; then \
		mvn -q -B -Dstyle.color=never -f $< dependency:copy-dependencies -DoutputDirectory="$(CURDIR)/$(@D)" >$(TOOLS)/spring.log && touch $@; \
	else \
		echo "make: there is no JDK with Maven: what needs it is left out"; \
	fi

$(POCKET)/.done: $(wildcard $(PINNED)/pocketbase/*)
	@mkdir -p $(POCKET)
	@cd $(PINNED)/pocketbase && CGO_ENABLED=0 $(GO) build -trimpath -o "$(CURDIR)/$(POCKET)/pocketbase" . && touch "$(CURDIR)/$@"

# A browser with its driver, as Debian has them, where they are missing and may be installed; and the libraries by which
# suites speak to them. Nothing else downloads either.
browser: $(BROWSER)/.done
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || \
		{ test "$$(id -u)" = 0 && { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y chromium chromium-driver; } >$(BROWSER)/apt.log 2>&1; } || \
		echo "make: Chromium and its driver cannot be installed here: what needs them is left out"
	@! command -v chromium >/dev/null || chromium --version
	@! command -v chromedriver >/dev/null || chromedriver --version

# Firefox, as Debian has it, and its driver, which no package has: cargo builds it, which takes minutes. CI does without.
firefox: browser $(FIREFOX)/bin/geckodriver
	@command -v firefox-esr >/dev/null || command -v firefox >/dev/null || \
		{ test "$$(id -u)" = 0 && { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y firefox-esr; } >$(FIREFOX)/apt.log 2>&1; } || \
		echo "make: Firefox cannot be installed here: what needs it is left out"
	@if command -v firefox-esr >/dev/null; then firefox-esr --version; elif command -v firefox >/dev/null; then firefox --version; fi
	@$(FIREFOX)/bin/geckodriver --version | sed -n 1p

$(FIREFOX)/bin/geckodriver:
	cargo install --quiet --locked --version $(GECKODRIVER) --root $(FIREFOX) geckodriver

$(BROWSER)/.done: $(wildcard $(PINNED)/browser/*) $(VENV)/.demo
	@mkdir -p $(BROWSER)
	@if command -v npm >/dev/null && command -v node >/dev/null; then \
		cp $(PINNED)/browser/package*.json $(BROWSER) && \
		(cd $(BROWSER) && npm ci --loglevel error --no-audit --no-fund --ignore-scripts >npm.log); \
	fi
	@test ! -e $(VENV)/.demo || $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps --upgrade \
		--target $(BROWSER)/python -r $(PINNED)/browser/requirements.txt
	@! command -v mvn >/dev/null || mvn -q -B -Dstyle.color=never -f $(PINNED)/browser/pom.xml dependency:copy-dependencies \
		-DoutputDirectory="$(CURDIR)/$(BROWSER)/java" >$(BROWSER)/mvn.log
	@test ! -e $(BROWSER)/node_modules || touch $@

# The library that moves the clock of a program, from Debian's archive, which is all that it is fetched from; it is not
# installed. Elsewhere the system's own is taken, if there is one.
$(TOOLS)/faketime/.done:
	@mkdir -p $(@D)
	@if cd $(@D) && apt-get download libfaketime=$(LIBFAKETIME) >../faketime.log 2>&1 && dpkg-deb -x libfaketime_*.deb .; then \
		touch .done; \
	else \
		echo "make: libfaketime cannot be fetched here (see $(TOOLS)/faketime.log): what needs it is left out"; \
	fi

# The shells whose completion is tried, in the versions that Debian has, in the same way.
$(SHELLS)/.done:
	@mkdir -p $(@D)
	@if cd $(@D) && apt-get download zsh zsh-common fish fish-common libpcre2-32-0 >../shells.log 2>&1 && \
		for package in *.deb; do dpkg-deb -x $$package . || exit 1; done && cp -r etc usr && rm -- *.deb; then \
		touch .done; \
	else \
		echo "make: zsh and fish cannot be fetched here (see $(TOOLS)/shells.log): what needs them is left out"; \
	fi

clean:
	rm -rf bin dist demo-out $(TOOLS)
