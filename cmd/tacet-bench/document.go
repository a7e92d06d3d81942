package main

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
)

const documentHead = `# Performance

Tacet beside DuckDB, Polars, pyarrow, arrow-go, parquet-go and ` + "`cp`" + `: whole processes, run in turn on one machine, input in the page
cache. The program that measures writes this page; [how it is built](design.md) says where the time goes.
`

const documentMethod = `
- Figures are medians; brackets hold minimum and maximum of ratios taken within each round. CPU is user and system time. With 20 M rows a second
  is 50 ns a row. The number behind a name is that of its threads. Below stand ratios, ranges and goals.
- "tacet" is the run with its defaults. "bare" neither judges nor hashes: ` + "`--audit off --hash none`" + `. Both count, design, check the written
  column, report, and sync the output to disk, which of the others only "cp and sync" does.
- What others wrote was compared with the input, outside the timed part: rows, other columns, every draw inside the support.
- DuckDB keeps the order of rows at one thread only; at two it stands here with a sort by row number ("in order") and without.
- Polars and pyarrow take outputs from the same slots as DuckDB, by NumPy. For the peers unequal weights are rounded to 256 slots (1,024
  above 64 values). Tacet's draws are exact.
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

// writeDocument puts how it was measured first and the tables behind it.
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
	fmt.Fprint(w, documentMethod)
	for _, o := range done {
		o.write(w)
	}
}
