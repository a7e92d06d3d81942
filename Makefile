# Everything a newcomer needs: make demo, make test. Both look at the root module alone.
GO ?= go

# Tests are built as the program is, without C and without paths of this machine, so that
# one build serves both. Without tables of symbols and for debuggers, which traces do not need,
# linking takes three fifths of its time, and compiling seven eighths. Arrow's JSON, which nothing reads
# or writes, is that of the standard library: the other is a tenth of all that is compiled. Names are looked up
# and users found without C where C is used, too, so that cmd/tacet-bench shares what depends on these. Arrow's
# compute, which only tests link, is compiled without inlining: a third of its time, 21 s of CPU less.
export CGO_ENABLED := 0
export GOFLAGS := $(strip $(shell $(GO) env GOFLAGS) -trimpath -ldflags=-s -gcflags=all=-dwarf=false \
	-gcflags=github.com/apache/arrow-go/v18/arrow/compute/...=-l \
	-tags=arrow_json_stdlib,netgo,osusergo)
DEMO := out/demo

.PHONY: build demo test slow matrix nested vet-nested check fuzz torture torture-short s3 s3-slow beam flink spark iceberg python python-oldest wheels paper study bench bench-full bench-kernels growth browser axe screenshots release-pages release-check release-snapshot clean

# The binary is static: it needs no C library.
build:
	$(GO) build -o tacet ./cmd/tacet

demo: build
	@rm -rf $(DEMO) && mkdir -p $(DEMO)
	@./tacet run --input testdata/tables/flights.parquet --column delay --bins -inf,-15,-5,5,30,inf \
		--max-factor 3 --floor-value -1 --max-shift 0% --output $(DEMO)/delays.parquet --report $(DEMO)/report
	@echo "open:     $(DEMO)/report/report.html, which stays inside"
	@echo "          $(DEMO)/report/public/report.html, which goes out with $(DEMO)/delays.parquet"

# Tests write thousands of small releases and flush each file of them. Where memory may hold files
# that can be run, and has 3 GB to spare, they are written there, as test binaries are: tests follow
# GOTMPDIR before TMPDIR. torture writes to disk. TACET_PYTHON=required fails where there is no python3
# to run the scripts of testdata. Heaps of tests are small, so they are collected seldom; check has
# vetted all that go test vets.
MEMORY = $$(d=$$(mktemp -d /dev/shm/tacet-test.XXXXXX) && { cp /bin/true $$d && $$d/true && \
	test $$(df -Pk $$d | awk 'END { print $$4 }') -gt 3000000 && echo $$d || rm -rf $$d; }) 2>/dev/null
IN_MEMORY = d=$(MEMORY); trap 'rm -rf $$d' EXIT; GOTMPDIR= TMPDIR=$${d:-$${TMPDIR:-/tmp}}
test: check
	@$(IN_MEMORY) GOGC=400 $(GO) test -vet=off -skip '^TestSlow' ./...

# slow is the tests that test leaves out: runs that are killed before each write, full disks,
# thousands of values, builds for other systems, scripts of other languages.
slow:
	@$(IN_MEMORY) GOGC=400 $(GO) test -vet=off -run '^TestSlow' \
		$$(grep -rl --include='*_test.go' '^func TestSlow' cmd/tacet estimate io mechanism pipeline | xargs -n 1 dirname | sort -u | sed 's|^|./|')

# matrix holds every claim of MATRIX tiny releases of every kind to an observer
# who has everything; make test runs 200 of them.
MATRIX ?= 5000
matrix:
	@$(IN_MEMORY) GOGC=400 TACET_MATRIX=$(MATRIX) \
		$(GO) test -vet=off -count=1 -timeout 30m -run '^TestMatrix$$' ./pipeline/oracle

# nested tests the modules that users of the library do not see, but those that s3, beam and
# browser test. vet-nested vets them: vet reads all that these depend on, which takes as long as
# to compile it. The bindings of DuckDB are C.
nested:
	cd docs/paper/gen && $(WITHIN) sh -c '$(GO) vet ./... && $(GO) test -vet=off ./...'
	cd cmd/tacet-bench && CGO_ENABLED=1 $(GO) test -vet=off ./...
vet-nested:
	@for m in cmd/tacet-beam cmd/tacet-cloud tacetbeam test/browser; do (cd $$m && $(GO) vet ./...) || exit 1; done
	cd cmd/tacet-bench && CGO_ENABLED=1 $(GO) vet ./...

# WITHIN compiles modules that import this one in one workspace with it: else all its packages would
# be compiled anew, as those of another version. What a module requires of its own is looked at first.
WITHIN = $(GO) list -deps -test ./... >/dev/null && GOWORK=$(CURDIR)/test/nested.work

# s3 tries the program of the stores on a gateway that speaks S3, in whole runs, too. The
# gateway is a program of that module, so that both are compiled with the same libraries.
# TACET_S3=required fails without it.
s3:
	cd cmd/tacet-cloud && $(GO) build -o $(CURDIR)/out/bin/ ./versitygw && \
		TACET_S3=required TACET_VERSITYGW=$(CURDIR)/out/bin/versitygw $(GO) test -vet=off -count=1 ./...

# s3-slow spoils 2,000 answers of the gateway, where s3 spoils 87.
s3-slow: s3
	cd cmd/tacet-cloud && TACET_OBJECTS=2900 TACET_S3=required TACET_VERSITYGW=$(CURDIR)/out/bin/versitygw \
		$(GO) test -vet=off -count=1 -timeout 60m -run TestRequests/failing -v .

# iceberg publishes a table on a branch; no step of CI runs it.
iceberg: build
	@test -x out/iceberg/bin/pyiceberg || { python3 -m venv --system-site-packages out/iceberg && \
		out/iceberg/bin/pip install --quiet 'pyiceberg[sql-sqlite]==0.12.0' pyarrow; }
	out/iceberg/bin/python -B cmd/tacet-iceberg/trial.py ./tacet out/iceberg-trial

# python tests the Python package as pip installs it: in a virtual environment, from a wheel with
# the program. wheels makes one for each system in out/wheels.
PYTHON := out/python/bin/python
WHEEL = cd python && $(CURDIR)/$(PYTHON) -m hatchling build -t wheel -d
python: $(PYTHON)
	@rm -rf out/wheel && ($(WHEEL) $(CURDIR)/out/wheel)
	$(PYTHON) -m pip install --quiet --force-reinstall --no-deps out/wheel/*.whl
	cd python && ../$(PYTHON) -m mypy && ../$(PYTHON) -m pyright --pythonpath ../$(PYTHON) src && ../$(PYTHON) -m pytest tests $$(../$(PYTHON) -c 'import tacet; print(*tacet.__path__)')
# python-oldest tests the wheel of python with the oldest pyarrow, which pip has up to Python 3.12.
OLDEST := out/python-oldest/bin/python
python-oldest:
	@test -x $(OLDEST) || { python3 -m venv out/python-oldest && $(OLDEST) -m pip install --quiet pyarrow==16.0.0 \
		'numpy<2' 'pandas<2.3' polars duckdb narwhals pytest; }
	$(OLDEST) -m pip install --quiet --force-reinstall --no-deps out/wheel/*.whl
	cd python && ../$(OLDEST) -m pytest tests
wheels: $(PYTHON)
	@rm -rf out/wheels && for os in linux darwin; do for arch in amd64 arm64; do \
		(export GOOS=$$os GOARCH=$$arch && $(WHEEL) $(CURDIR)/out/wheels) || exit 1; done; done
$(PYTHON):
	python3 -m venv out/python
	$(PYTHON) -m pip install --quiet --no-compile hatchling mypy pytest pyarrow pandas polars duckdb narwhals numpy \
		pytz tqdm nbclient ipykernel pyright

# spark runs tacet.spark on two executors that lack the package, kills one, and holds what is written to the input by SQL.
# It needs Java, so no step of CI runs it. FLIGHTS=FILE takes a larger table of flights.
FLIGHTS ?= testdata/tables/flights.parquet
spark: $(PYTHON)
	@rm -rf out/wheel && ($(WHEEL) $(CURDIR)/out/wheel)
	@test -x out/spark/bin/spark-submit || { python3 -m venv out/spark && \
		out/spark/bin/pip install --quiet pyspark==4.3.0 'pandas>=2.2,<3' pyarrow; }
	@test -x out/executor/bin/python || { python3 -m venv out/executor && \
		out/executor/bin/pip install --quiet 'pandas>=2.2,<3' pyarrow; }
	out/spark/bin/pip install --quiet --force-reinstall --no-deps out/wheel/*.whl
	out/spark/bin/python python/tests/spark_trials.py out/spark-trials out/executor/bin/python $(FLIGHTS)

# beam tries the program for Apache Beam, and the transform, on Prism. The test is the program, too, so
# that Beam is compiled and linked once.
beam:
	cd cmd/tacet-beam && $(GO) test -vet=off -count=1 .
	cd tacetbeam && $(WITHIN) $(GO) test -vet=off -count=1 .

# flink tries it on the job server of Flink, which Maven fetches (152 MB) and Java runs.
# It listens on all interfaces, so that it gets a network of its own.
FLINK := $(CURDIR)/out/flink
flink:
	@test -d $(FLINK)/lib || mvn -q -B -f cmd/tacet-beam/testdata/flink.xml dependency:copy-dependencies \
		-DincludeScope=runtime -DoutputDirectory=$(FLINK)/lib
	cd cmd/tacet-beam && $(GO) test -c -o $(FLINK)/tacet-beam.test . && unshare --map-root-user --net sh -c \
		'ip link set lo up && TACET_FLINK=$(FLINK)/lib $(FLINK)/tacet-beam.test -test.run Flink -test.v'

# check is what can be said without running the code; vet compiles all packages and
# their tests.
check:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	GOGC=400 $(GO) vet ./...

# browser looks at the pages in Chromium, and checks them with axe-core. It is a
# module of its own, which users of the library do not see. TACET_BROWSER=required
# fails where there is no browser.
browser: axe
	cd test/browser && $(GO) test -vet=off -count=1 ./...

# axe fetches the accessibility checker (MPL-2.0, not kept here) at one version.
AXE := 4.14.1
AXE_SHA256 := 29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c
axe:
	@mkdir -p out/axe
	@echo "$(AXE_SHA256)  out/axe/axe.min.js" | sha256sum --status -c 2>/dev/null || { \
		npm pack --silent --pack-destination out/axe axe-core@$(AXE) >/dev/null && \
		tar xzf out/axe/axe-core-$(AXE).tgz -C out/axe --strip-components=1 package/axe.min.js package/LICENSE && \
		echo "$(AXE_SHA256)  out/axe/axe.min.js" | sha256sum -c; }

# screenshots takes the pictures of the demo's pages, and of the studio, in docs/pictures.
screenshots: build
	cd test/browser && $(GO) run ./shots -root ../..

# fuzz runs every fuzz target for FUZZTIME.
FUZZTIME ?= 30s
fuzz:
	@for p in $$($(GO) list ./...); do \
		for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
			$(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$p || exit 1; \
		done; \
	done

# torture says in one table what was tried on Tacet, how often and with what result, in two hours;
# torture-short in ten minutes. What was interrupted goes on. They need Python with pyarrow, numpy
# and cryptography for some rows, root for power cuts, and take corpora from out/corpora.
torture:
	python3 test/torture/torture.py full
torture-short:
	python3 test/torture/torture.py short

# paper recomputes the paper's figures and docs/paper.md from scratch.
paper:
	cd docs/paper/gen && $(GO) run . -root ../../..

# study designs nine real columns by Tacet and by its rivals, and writes docs/study.md. What it reads and runs on is
# fetched once, at one version.
VEGA := 3.2.1
VEGA_SHA256 := 6f72fda460a9863fae5fcb32f85bcd49e1761fdea6dc6cf9f4962472881cc5a3
study: build
	@out/study/bin/python -c 'import numpy, pandas, pyarrow' 2>/dev/null || { python3 -m venv out/study && \
		out/study/bin/pip install --quiet 'numpy>=2' 'pandas>=2.2' pyarrow; }
	@test -d out/study/package/data || { npm pack --silent --pack-destination out/study vega-datasets@$(VEGA) >/dev/null && \
		echo "$(VEGA_SHA256)  out/study/vega-datasets-$(VEGA).tgz" | sha256sum --status -c && \
		tar xzf out/study/vega-datasets-$(VEGA).tgz -C out/study package/data; }
	out/study/bin/python docs/study/study.py run ./tacet out/study/package/data

# bench compares Tacet with DuckDB, Polars, pyarrow (where python3 has them), arrow-go, parquet-go and cp, and
# prints ratios; bench-full takes every contest and size. Neither ever gates.
BENCH = mkdir -p out && (cd cmd/tacet-bench && CGO_ENABLED=1 $(GO) build -gcflags=all=-dwarf=false -o ../../out/tacet-bench .) && out/tacet-bench -tacet ./tacet
bench: build
	@$(BENCH) -o docs/performance.md
	@if python3 -c 'import scipy' 2>/dev/null; then python3 cmd/tacet-bench/highs/compare.py ./tacet 100 1; \
	else echo "the comparison with HiGHS needs python3 with scipy"; fi

bench-full: build
	@$(BENCH) -full -o docs/performance.md

# growth measures how costs grow with rows, columns, files, values and row groups, beside DuckDB's copy: the tables of
# docs/growth.md, in about ten minutes and 6 GB of memory.
growth: build
	@d=$$(mktemp -d /dev/shm/tacet-growth.XXXXXX) && trap 'rm -rf $$d' EXIT && \
		python3 -B cmd/tacet-bench/growth/growth.py ./tacet $$d

# bench-kernels times the inner loops; benchstat reads what it prints.
bench-kernels:
	$(GO) test -run '^$$' -bench . -benchmem -count 10 ./mechanism/... ./estimate/... ./io/...

# release-pages writes manual page and completions to out/pages, for archives and packages.
PAGES := out/pages
release-pages: build
	@rm -rf $(PAGES) && mkdir -p $(PAGES)
	./tacet man > $(PAGES)/tacet.1
	gzip -9nk $(PAGES)/tacet.1
	./tacet completion bash > $(PAGES)/tacet.bash
	./tacet completion zsh > $(PAGES)/_tacet
	./tacet completion fish > $(PAGES)/tacet.fish

# release-check holds .goreleaser.yaml and Containerfile to the files that they name, and
# lets GoReleaser check the former where it is installed; release-snapshot makes all
# archives and packages in out/dist, and publishes nothing.
release-check: release-pages
	$(GO) test -count=1 -run '^Test(Slow)?Release(Files|Static|Container)' ./cmd/tacet
	@if command -v goreleaser >/dev/null; then goreleaser check; \
	else echo "no goreleaser: only the files that .goreleaser.yaml names were checked"; fi

release-snapshot:
	goreleaser release --snapshot --clean

clean:
	rm -rf tacet out
