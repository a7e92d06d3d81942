# Everything a newcomer needs: make demo, make test.
GO ?= go
DEMO := out/demo

.PHONY: build demo test check fuzz torture bench clean

build:
	$(GO) build -trimpath -o tacet ./cmd/tacet

demo: build
	@rm -rf $(DEMO) && mkdir -p $(DEMO)
	./tacet run --input testdata/tables/flights.parquet --column origin \
		--utility positions:testdata/tables/airports.csv --epsilon 4.1 --design safe \
		--drop destination,distance \
		--output $(DEMO)/flights.parquet --report $(DEMO)/report

test: check
	$(GO) test ./...

# check is what can be said without running the code.
check:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	$(GO) vet ./...

# fuzz runs every fuzz target for FUZZTIME.
FUZZTIME ?= 30s
fuzz:
	@for p in $$($(GO) list ./...); do \
		for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
			$(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$p || exit 1; \
		done; \
	done

# torture is the long form of the suites that have one.
torture:
	TACET_TORTURE=1 $(GO) test -timeout 2h ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./mechanism/... ./io/...

clean:
	rm -rf tacet out
