# Everything a newcomer needs: make demo, make test.
GO ?= go
DEMO := out/demo
DEMO_COLUMN := --input testdata/tables/flights.parquet --column origin --utility positions:testdata/tables/airports.csv

.PHONY: build demo test check fuzz torture paper bench bench-full bench-kernels clean

build:
	$(GO) build -trimpath -o tacet ./cmd/tacet

demo: build
	@rm -rf $(DEMO) && mkdir -p $(DEMO)/safe
	@echo "--- the paper's closed form, at factor 4:"
	./tacet design $(DEMO_COLUMN) --max-factor 4 --design safe --plan $(DEMO)/safe/plan.json
	@echo "--- the optimum, at the same factor:"
	./tacet run $(DEMO_COLUMN) --max-factor 4 --drop destination,distance \
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

# paper recomputes the paper's figures and docs/paper.md from scratch.
paper:
	cd docs/paper/gen && $(GO) run . -root ../../..

# bench compares Tacet with DuckDB, arrow-go, parquet-go and cp, in turn, and
# prints ratios; bench-full takes every contest and size. Neither ever gates.
BENCH = mkdir -p out && (cd cmd/tacet-bench && $(GO) build -o ../../out/tacet-bench .) && out/tacet-bench -tacet ./tacet
bench: build
	@$(BENCH) -o docs/performance.md
	@if python3 -c 'import scipy' 2>/dev/null; then python3 cmd/tacet-bench/highs/compare.py ./tacet 100 1; \
	else echo "the comparison with HiGHS needs python3 with scipy"; fi

bench-full: build
	@$(BENCH) -full -o docs/performance.md

# bench-kernels times the inner loops; benchstat reads what it prints.
bench-kernels:
	$(GO) test -run '^$$' -bench . -benchmem -count 10 ./mechanism/... ./estimate/... ./io/...

clean:
	rm -rf tacet out
