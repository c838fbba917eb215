# Everyday commands. CI runs .ci/run, which calls the README's test command.
.PHONY: build test race lint fuzz bench generate image ci merge-long soak

build: ## the command line and the container's entry, stripped, into bin/
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o bin/ ./cmd/...

test: ## what the README says
	go test ./...

race:
	go test -race ./...

lint:
	gofmt -l cmd examples internal
	go vet ./...

fuzz: ## every fuzz target, T each (T=30s)
	.ci/fuzz $(or $(T),30s)

merge-long: ## the laws of merging, over ten million steps
	go test ./internal/store -run TestMergeLaws -merge.steps 10000000 -count=1 -timeout 1h

soak: ## a storm over one repository: RUNS (500), PARALLEL (20) and SEED as given
	go test ./internal/cli -run 'TestTheSoak$$' -v -count=1 -timeout 1h -soak.runs $(or $(RUNS),500) -soak.parallel $(or $(PARALLEL),20) $(if $(SEED),-soak.seed $(SEED))

bench: ## figures against budgets, beside other tools: the table, docs/benchmarks.* and its plots
	go run ./internal/arch/bench
	go test ./internal/cli -run TestGeneratedCost -update

generate: ## golden files, schemas and generated docs, from the code
	go test $$(grep -rl --include='*_test.go' '"update"' internal | xargs -n1 dirname | sort -u | sed 's|^|./|') -run 'Golden|Generated|Docs|Schema' -update

ci:
	.ci/run

image: ## the action's image from a binary built here, with ENGINE (docker or buildah)
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o bin/action ./cmd/action
	mkdir -p bin/root/tmp && chmod 1777 bin/root/tmp
	cp /etc/ssl/certs/ca-certificates.crt bin/
	$(or $(ENGINE),docker) build -t familiar --target prebuilt .
