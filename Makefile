# Everyday commands. CI runs .ci/run, which calls the README's test command.
.PHONY: build test race lint fuzz bench generate ci

build: ## the command line and the container's entry, stripped, into bin/
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o bin/ ./cmd/...

test: ## what the README says
	go test ./...

race:
	go test -race ./...

lint:
	gofmt -l cmd internal
	go vet ./...

fuzz: ## every fuzz target, T each (T=30s)
	.ci/fuzz $(or $(T),30s)

bench:
	go test -run '^$$' -bench . -benchmem ./...

generate: ## golden files, schemas and generated docs, from the code
	go test ./internal/... -run 'Golden|Generated|Docs|Schema' -update

ci:
	.ci/run
