package main

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
)

const documentHead = `# Performance

Tacet beside DuckDB, Polars, pyarrow, arrow-go, parquet-go and ` + "`cp`" + `: whole processes, run in turn on one machine,
round by round, with the input in the page cache. This page is written by the program that measures; what was tried and kept inside, and
where the time goes, is in [kernels.md](kernels.md).
`

const documentMethod = `
- Figures are medians, with minimum and maximum in brackets. Ratios are taken within each round.
- CPU is user and system time of the whole process. Before each one starts, all that is to be written to the disk is there.
- "tacet" is the run with its defaults: it judges the other columns before it draws, and hashes input and output. The
  run that is "neither judged nor hashed" has ` + "`--audit off --hash none`" + `.
- Tacet's figures include the estimate, the design, checksums of the pages it writes, the written column read again and
  compared with what was drawn, and the report. It also syncs its output to disk, which of the others only "cp and sync" does.
- What a contender wrote was read again, outside the timed part, and compared with the input: as many rows, all other
  columns unchanged and in order, every draw inside the support. That is done in the first round, and in the last one of
  the full version.
- DuckDB keeps the order of rows through a join at one thread only. At two it stands here with a sort by row number, and
  without one; then only the number of rows and the outputs were compared.
- Polars and pyarrow take outputs from the same table of slots as DuckDB, by NumPy, and keep the order of rows.
- Rows of unequal weights are rounded to 256 slots (1,024 above 64 letters) for the peers. Tacet's draws are exact.
`

// busiest is the largest load average after a contest.
func busiest(done []*outcome) (most float64) {
	for _, o := range done {
		if v, err := strconv.ParseFloat(o.load, 64); err == nil {
			most = max(most, v)
		}
	}
	return most
}

// writeDocument puts what was wanted first and the tables behind it.
func writeDocument(w io.Writer, s settings, done []*outcome, packages string) {
	command := "make bench"
	if s.full {
		command = "make bench-full"
	}
	if s.scale != 1 || s.only != "" || s.rounds != 0 {
		command = fmt.Sprintf("tacet-bench -scale %g -only %q -rounds %d", s.scale, s.only, s.rounds)
	}
	fmt.Fprint(w, documentHead)
	fmt.Fprintf(w, "\nMeasured on %s%s\nMade by `%s`; `make bench` takes about seven minutes, `make bench-full` about "+
		"forty.\n`make bench-kernels` times the inner loops alone.\n", machine(), packages, command)
	if most := busiest(done); most > float64(runtime.NumCPU())+1 {
		fmt.Fprintf(w, "\nOther programs worked on the machine meanwhile (load averages of up to %.1f): ratios within a "+
			"round can be compared,\nwall times with those of other days cannot.\n", most)
	}
	fmt.Fprintln(w, "\n## What was wanted")
	fmt.Fprintln(w, "\n| contest | figure | seen | wanted | |")
	fmt.Fprintln(w, "|---|---|---|---|---|")
	for _, o := range done {
		for _, t := range o.targets {
			fmt.Fprintf(w, "| %s | %s\n", o.title, o.verdict(t))
		}
	}
	fmt.Fprintln(w, "\n## How it was measured")
	fmt.Fprint(w, documentMethod)
	for _, o := range done {
		o.write(w)
	}
}
