# The checks of Pillion. What they install stays in one cache folder (PILLION_DEV_CACHE); the tree only ever gets .build,
# and in vscode-extension a link to the packages and what goes into its .vsix.
#
#   make build   the program, .build/pillion
#   make vsix    the extension of VS Code for this platform with the program in it, .build/pillion.vsix
#   make check   everything that needs no editor and no connector from elsewhere
#   make e2e     real editors and real connectors, cut off from the network
#   make conformance  the official suite of MCP, both sides: a line for each scenario that both revisions require
#   make browser  every browser of Pillion in a real Chromium, a line for each test
#   make plugin  the Neovim plugin in both Neovims, a line for each test
#   make vscode  the extension in two real VS Codes, a line for each scenario
#   make servers  every real connector that was tried, written down in docs/tested-servers.md; installs 1.5 GB
#   make test    both; what continuous integration runs
#   make redteam every attempt to get something run, called or out without a yes, a line each
#   make soak    everything that goes wrong at once, for SOAK (5m); SEED plays an earlier one again
#   make bench   the measurements       make fuzz   each fuzz target for a while (FUZZTIME, 5s)
#   make demo    a session to look at   make format, make generate

# One leg at a time: they measure themselves, and the machine is small.
.NOTPARALLEL:
.SUFFIXES:
# A failing leg does not hide the others.
MAKEFLAGS += --no-print-directory --keep-going

export PILLION_DEV_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/pillion-dev

BEDS := $(CURDIR)/editors/e2e/beds
TOOLS = $(PILLION_DEV_CACHE)/tools/node_modules/.bin
LEG = @go run ./editors/e2e/leg
FUZZTIME ?= 5s
E2E = env PILLION_BINARY=$(CURDIR)/.build/pillion PILLION_E2E_SCREENS=$(PILLION_DEV_CACHE)/screens \
	go test -tags e2e -count 1 -timeout 20m -exec $(BEDS)/hermetic.sh -json
VSCODE = env PILLION_BINARY=$(CURDIR)/.build/pillion PILLION_VSIX=$(CURDIR)/.build/pillion.vsix \
	PILLION_E2E_SCREENS=$(PILLION_DEV_CACHE)/screens $(BEDS)/hermetic.sh $(BEDS)/vscode.sh
PLUGIN = env PILLION_BINARY=$(CURDIR)/.build/pillion PILLION_SCREENS=$(PILLION_DEV_CACHE)/screens \
	$(BEDS)/hermetic.sh $(BEDS)/plugin.sh
SOAK ?= 5m
SEED ?= 0
# Nothing that was installed or built is ours to look at.
FIND = find . -name node_modules -prune -o -path './.*' -prune -o
LUA = $(shell $(FIND) -name '*.lua' -print)
# What a .vsix calls this platform.
VSIX_TARGET = $(shell go env GOOS | sed s/windows/win32/)-$(shell go env GOARCH | sed s/amd64/x64/)
EXTENSION = $(BEDS)/install.sh vscode-extension && { [ -e vscode-extension/node_modules ] || \
	ln -sfn "$(PILLION_DEV_CACHE)/vscode-extension/node_modules" vscode-extension/node_modules; } && cd vscode-extension

.PHONY: build check e2e test bench redteam soak fuzz demo format generate
.PHONY: vsix check-format check-vet check-staticcheck check-unit check-tsc check-eslint check-vscode check-stylua check-luacheck
.PHONY: e2e-beds vscode plugin browser conformance servers

build:
	$(LEG) build env CGO_ENABLED=0 go build -trimpath -o .build/pillion ./cmd/pillion

# The size of the bundle and of the whole is said.
vsix: build
	$(LEG) vsix sh -c '$(EXTENSION) && node scripts/build.mjs && mkdir -p bin && cp ../.build/pillion bin/ && cp ../LICENSE . && \
	  node_modules/.bin/vsce package --no-dependencies --target $(VSIX_TARGET) --out ../.build/pillion.vsix && \
	  wc -c dist/extension.js ../.build/pillion.vsix'

# The outcome of every leg is totalled at the end, also when one of them fails.
test:
	@legs=$$(mktemp) && trap 'rm -f "$$legs"' EXIT && \
	{ PILLION_LEGS=$$legs $(MAKE) check e2e; code=$$?; go run ./editors/e2e/leg -total "$$legs" || code=2; exit $$code; }

# Generated files are compared with the disk by the unit tests.
check: check-format check-vet check-staticcheck check-unit check-tsc check-eslint check-vscode check-stylua check-luacheck

check-format:
	$(LEG) gofmt sh -c 'files=$$(gofmt -l .) && test -z "$$files" || { echo "not formatted: $$files"; exit 1; }'

check-vet:
	$(LEG) vet-linux env GOOS=linux go vet ./...
	$(LEG) vet-e2e env GOOS=linux go vet -tags e2e ./editors/... ./browser/...
	$(LEG) vet-darwin env CGO_ENABLED=0 GOOS=darwin go vet ./...
	$(LEG) vet-windows env CGO_ENABLED=0 GOOS=windows go vet ./...

check-staticcheck:
	$(LEG) staticcheck sh -c '$(BEDS)/install.sh staticcheck && "$(PILLION_DEV_CACHE)/staticcheck/staticcheck" -tags e2e ./...'

check-unit:
	$(LEG) -tests unit go test -race -timeout 10m -json ./...

check-tsc:
	$(LEG) tsc sh -c '$(BEDS)/install.sh tools && $(EXTENSION) && "$(TOOLS)/tsc" -p .'

check-eslint:
	$(LEG) eslint sh -c '$(EXTENSION) && node_modules/.bin/eslint .'

# The extension's own unit tests; what needs VS Code is in e2e.
check-vscode:
	$(LEG) -tests vscode-unit sh -c '{ $(EXTENSION); } >&2 && node scripts/test.mjs --json'

check-stylua:
	$(LEG) stylua sh -c '$(BEDS)/install.sh tools && "$(TOOLS)/stylua" --check $(LUA)'

check-luacheck:
	$(LEG) luacheck sh -c '$(BEDS)/install.sh luacheck && luacheck --quiet --no-color $(LUA)'

# A target for each leg, so that one that fails does not hide those after it.
E2E_LEGS := e2e-run e2e-conformance e2e-conformance-server e2e-neovim-floor e2e-neovim-newest e2e-vscode-newest e2e-vscode-floor

.PHONY: $(E2E_LEGS)
e2e: $(E2E_LEGS)

e2e-beds:
	$(LEG) beds $(BEDS)/install.sh isolation terminal chromium servers conformance inspector agents neovim-floor neovim-newest mini-test helix emacs-floor \
	  emacs-newest vscode-driver vscode-newest vscode-floor

$(E2E_LEGS): e2e-beds vsix

# The test binary itself runs cut off, and with it every program that it starts.
e2e-run:
	$(LEG) -tests e2e $(E2E) -skip '^Test((Server)?Conformance|MoreServers|DriveScenario)$$' ./editors/e2e

e2e-conformance:
	$(LEG) -tests conformance $(E2E) -run '^TestConformance$$' ./editors/e2e

e2e-conformance-server:
	$(LEG) -tests conformance-server $(E2E) -run '^TestServerConformance$$' ./editors/e2e

e2e-neovim-floor e2e-neovim-newest: e2e-neovim-%:
	$(LEG) -tests neovim-$* $(PLUGIN) neovim-$*

e2e-vscode-floor e2e-vscode-newest: e2e-vscode-%:
	$(LEG) -tests vscode-$* env PILLION_AGAIN=1 $(VSCODE) vscode-$*

# What every browser must do, in a real one; a line for each test. Those through the program take ten seconds and are part of e2e;
# what each provider must do takes minutes, and is not.
browser: build
	@$(BEDS)/install.sh isolation chromium browser-playwright browser-chrome-devtools
	$(LEG) -each -tests browser-window $(E2E) -run '^TestBrowser_' ./editors/e2e
	$(LEG) -each -tests browser $(E2E) ./browser/...

# The Neovim plugin alone; PILLION_TESTS names some of its tests, PILLION_UPDATE=1 writes the screens that are compared.
plugin: build
	@$(BEDS)/install.sh isolation chromium servers agents neovim-floor neovim-newest mini-test
	$(LEG) -each -tests neovim-floor $(PLUGIN) neovim-floor
	$(LEG) -each -tests neovim-newest $(PLUGIN) neovim-newest

# The extension as it is shipped, in the newest VS Code and in the oldest that it supports, a line for each scenario; PILLION_ONLY
# names some of them. A scenario that fails fails here; in make test it is tried once more, and said to be unsteady.
vscode: vsix
	@$(BEDS)/install.sh isolation chromium servers agents vscode-driver vscode-newest vscode-floor
	$(LEG) -each -tests vscode-newest $(VSCODE) vscode-newest
	$(LEG) -each -tests vscode-floor $(VSCODE) vscode-floor

# The same scenarios as in e2e, each with its line.
conformance: build
	@$(BEDS)/install.sh isolation conformance
	$(LEG) -each -tests conformance $(E2E) -run '^TestConformance$$' ./editors/e2e
	$(LEG) -each -tests conformance-server $(E2E) -run '^TestServerConformance$$' ./editors/e2e

# Those of e2e and many more, which take minutes to install.
servers: build
	@$(BEDS)/install.sh isolation servers more-servers
	$(LEG) -each -tests servers env PILLION_TESTED_SERVERS=$(CURDIR)/docs/tested-servers.md $(E2E) -run '^Test(Servers|MoreServers|ServersOverHTTP)$$' ./editors/e2e

# A figure over its limit is said; it is a failure only with BENCH_STRICT=1.
bench:
	@$(BEDS)/install.sh isolation peers chromium browser-playwright
	@go run ./sidecar/bench -to docs/performance.md $(BENCHFLAGS)
	@$(BEDS)/hermetic.sh go run ./sidecar/bench -only peer -peer "$(PILLION_DEV_CACHE)/peers/node_modules/mcp-hub/dist/cli.js"
	@$(BEDS)/install.sh neovim-floor neovim-newest
	@for bed in neovim-floor neovim-newest; do "$(PILLION_DEV_CACHE)/$$bed/nvim" --clean -l nvim-plugin/tests/startup.lua \
	  "$(PILLION_DEV_CACHE)/$$bed/nvim" || exit 1; done

# The unit leg runs them too; here each attempt has its line.
redteam:
	$(LEG) -each -tests redteam go test -race -count 1 -json -run '^(TestRedTeam|TestC7[0-4]_|TestS[0-9]+_|TestV7_)' \
	  ./cmd/... ./sidecar/... ./editors ./mcp/serve ./mcp/admission ./mcp/consent ./mcp/permission ./mcp/repository ./mcp/host ./mcp/config ./mcp/process ./mcp/redact

# The unit leg runs a few seconds of it.
soak:
	@go test -race -count 1 -timeout 0 -v ./cmd/pillion/soak -args -soak.duration=$(SOAK) -soak.seed=$(SEED)

fuzz:
	@$(BEDS)/fuzz.sh $(FUZZTIME)

demo:
	@echo "building Pillion, which takes a minute the first time" >&2
	@go run ./cmd/pillion demo play

format:
	gofmt -w .
	@$(BEDS)/install.sh tools && "$(TOOLS)/stylua" $(LUA)

# A test of the plugin holds that its help is current.
generate:
	go generate ./...
	@$(BEDS)/install.sh neovim-floor && "$(PILLION_DEV_CACHE)/neovim-floor/nvim" --clean -l nvim-plugin/scripts/help.lua
