# Every target does its own set-up; all that a machine needs is Go and, for the parts that run real fuzzers, Python 3.
# Node with npm, and a JDK with Maven, are for the tests that record clients of theirs.

GO      ?= go
PYTHON  ?= python3
BIN     := bin/flaketap
TOOLS   := .tools
VENV    := $(TOOLS)/venv
NODE    := $(TOOLS)/node
JAVA    := $(TOOLS)/java
LIBFAKETIME := 0.9.10-2.1
POCKET  := $(TOOLS)/pocketbase
SOURCES := $(shell find . -name '*.go' -not -path './.tools/*' -not -path './tools/*') go.mod go.sum

# The race detector needs a C compiler; without one the tests run all the same. Its build checks pointers too, and ends
# the process where one leads astray. bbolt believes the pages of a file, so a damaged one, which the tests read, would
# end them; an ordinary build gets a panic there, and the store turns it into an error.
RACE := $(shell command -v $$($(GO) env CC) >/dev/null 2>&1 && echo "-race -gcflags=go.etcd.io/bbolt/...=-d=checkptr=0")

# The tests find the Python of the virtual environment first, and with it pytest and the fuzzer.
FAKETIME = $$(ls "$(CURDIR)/$(TOOLS)"/faketime/usr/lib/*/faketime/libfaketimeMT.so.1 2>/dev/null)
TESTENV = FLAKETAP_LIBFAKETIME="$(FAKETIME)" FLAKETAP_VENV="$(CURDIR)/$(VENV)" PATH="$(CURDIR)/$(VENV)/bin:$$PATH"

.PHONY: build demo test check check-long bench tools clean

build: $(BIN)

# The binary is static: no C library is needed where it runs.
$(BIN): $(SOURCES) capture/client/preload.cjs $(wildcard internal/testbed/*/*.json) $(wildcard suite/write/*/*)
	CGO_ENABLED=0 $(GO) build -trimpath -o $@ ./cmd/flaketap

# The whole job, for real: a fuzzer against an API, recorded, replayed, judged; a suite written and run.
demo: $(BIN) tools
	$(BIN) demo --python "$(VENV)/bin/python" --out demo-out

# Minutes on two cores. Tests whose toolchain is missing are skipped by name; with CI=true a skip is a failure.
test: $(BIN) tools
	$(GO) vet ./...
	$(TESTENV) $(GO) test $(RACE) -timeout 80m ./...

# What a change must pass before it is proposed: the tests, the formatting, a tidy module, the linters.
check: test
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "gofmt these files:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) mod tidy -diff
	$(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run

# The repetitions, and a while of fuzzing for each decoder.
check-long: $(BIN) tools
	$(TESTENV) FLAKETAP_LONG=1 $(GO) test $(RACE) -timeout 120m -count=1 ./...
	$(GO) test $(RACE) -count=50 -short -timeout 120m ./proxy ./store ./replay ./internal/...
	scripts/fuzz.sh 60s

# Beside the recorder runs mitmdump, which has an environment of its own: it wants other versions than the tests.
bench: $(BIN) $(TOOLS)/mitmproxy/.done
	PATH="$(CURDIR)/$(TOOLS)/mitmproxy/bin:$$PATH" scripts/bench.sh 5

# Packages of Python, Node and Java at pinned versions, and an API written in Go, in a folder of the repo's own. Where
# there is no Python, or one without venv, no npm or no Maven, what needs them says so and goes on.
tools: $(TOOLS)/faketime/.done $(VENV)/.done $(NODE)/.done $(JAVA)/.done $(POCKET)/.done

$(VENV)/.done: tools/requirements.txt
$(TOOLS)/mitmproxy/.done: tools/mitmproxy-requirements.txt

$(VENV)/.done $(TOOLS)/mitmproxy/.done:
	@mkdir -p $(TOOLS)
	@if $(PYTHON) -m venv $(@D) >$(@D).log 2>&1; then \
		$(@D)/bin/python -m pip install --quiet --disable-pip-version-check -r $< && touch $@; \
	else \
		echo "make: no Python environment could be made (see $(@D).log): what needs it is left out"; \
	fi

$(NODE)/.done: tools/node/package.json tools/node/package-lock.json
	@mkdir -p $(NODE)
	@if command -v npm >/dev/null && command -v node >/dev/null; then \
		cp tools/node/package.json tools/node/package-lock.json $(NODE) && \
		npm ci --prefix $(NODE) --loglevel error --no-audit --no-fund --ignore-scripts >$(TOOLS)/node.log && touch $@; \
	else \
		echo "make: there is no Node with npm: what needs it is left out"; \
	fi

$(JAVA)/.done: tools/java/pom.xml
	@mkdir -p $(JAVA)
	@if command -v mvn >/dev/null && command -v javac >/dev/null; then \
		mvn -q -B -Dstyle.color=never -f tools/java/pom.xml dependency:copy-dependencies -DoutputDirectory="$(CURDIR)/$(JAVA)" >$(TOOLS)/java.log && touch $@; \
	else \
		echo "make: there is no JDK with Maven: what needs it is left out"; \
	fi

$(POCKET)/.done: $(wildcard tools/pocketbase/*)
	@mkdir -p $(POCKET)
	@cd tools/pocketbase && CGO_ENABLED=0 $(GO) build -trimpath -o "$(CURDIR)/$(POCKET)/pocketbase" . && touch "$(CURDIR)/$@"

# The library that moves the clock of a program, from Debian's archive, which is all that it is fetched from; it is not
# installed. Elsewhere the system's own is taken, if there is one.
$(TOOLS)/faketime/.done:
	@mkdir -p $(@D)
	@if cd $(@D) && apt-get download libfaketime=$(LIBFAKETIME) >../faketime.log 2>&1 && dpkg-deb -x libfaketime_*.deb .; then \
		touch .done; \
	else \
		echo "make: libfaketime cannot be fetched here (see $(TOOLS)/faketime.log): what needs it is left out"; \
	fi

clean:
	rm -rf bin demo-out $(TOOLS)
