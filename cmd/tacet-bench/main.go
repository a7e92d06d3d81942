// Command tacet-bench measures Tacet beside DuckDB, Polars, pyarrow, arrow-go,
// parquet-go and cp, in turn, on the same files, and checks that all did the same job. It is
// a module of its own, so that users of the library never see its dependencies.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// settings are the flags.
type settings struct {
	tacet    string  // the binary that is measured
	cache    string  // folder of data sets and outputs
	flights  string  // the flights file that is repeated
	airports string  // where their origins are
	scale    float64 // of all numbers of rows
	full     bool    // every contest, with more rounds
	rounds   int     // runs of each contender; 0 leaves the number to the contest
	only     string  // comma-separated contests; "" is all of them
	output   string  // file of results beside standard output

	planned map[string]bool // plans that this run has made
	lacks   map[string]bool // Python packages that are not there, of those looked for
	checked map[job]bool    // jobs whose output was read again
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == peerCommand {
		if err := runPeer(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, "tacet-bench:", err)
			os.Exit(1)
		}
		return
	}
	s := settings{planned: map[string]bool{}, checked: map[job]bool{}}
	flag.StringVar(&s.tacet, "tacet", "./tacet", "the tacet `BINARY` to measure")
	flag.StringVar(&s.cache, "cache", filepath.Join(os.TempDir(), "tacet-bench"),
		"`FOLDER` for data sets, which are kept, and outputs, which are not")
	flag.StringVar(&s.flights, "flights", "testdata/tables/flights.parquet", "flights `FILE` to repeat")
	flag.StringVar(&s.airports, "airports", "testdata/tables/airports.csv", "`FILE` of the airports' positions")
	flag.Float64Var(&s.scale, "scale", 1, "multiply all numbers of rows")
	flag.BoolVar(&s.full, "full", false, "all contests with all rounds, not the five-minute choice")
	flag.IntVar(&s.rounds, "rounds", 0, "runs of each contender, instead of what each contest has")
	flag.StringVar(&s.only, "only", "", "comma-separated `CONTESTS` to hold: "+contestNames())
	flag.StringVar(&s.output, "o", "", "`FILE` to write the results to, as Markdown")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx, s); err != nil {
		fmt.Fprintln(os.Stderr, "tacet-bench:", err)
		os.Exit(1)
	}
}

// bench holds the contests and writes what they gave. Missed targets are no
// error: benchmarks do not gate.
func bench(ctx context.Context, s settings) error {
	if err := os.MkdirAll(s.cache, 0o777); err != nil {
		return fmt.Errorf("making the cache folder: %w", err)
	}
	var done []*outcome
	var failed error // one contest does not lose what the others gave
	began := time.Now()
	for _, c := range contests {
		if !s.holds(c) {
			continue
		}
		o, err := hold(ctx, &s, c)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("contest %s: %w", c.name, err))
			if ctx.Err() != nil {
				break
			}
			continue
		}
		o.write(os.Stdout)
		done = append(done, o)
	}
	fmt.Printf("held in %s, data sets included\n", time.Since(began).Round(time.Second))
	if s.output == "" || len(done) == 0 {
		return failed
	}
	var b strings.Builder
	writeDocument(&b, s, done, s.pythonVersions(ctx))
	if err := os.WriteFile(s.output, []byte(b.String()), 0o666); err != nil {
		return errors.Join(failed, fmt.Errorf("writing the results: %w", err))
	}
	return failed
}

// holds reports whether a contest was asked for.
func (s *settings) holds(c contest) bool {
	if s.only == "" {
		return s.full || c.quick > 0
	}
	for name := range strings.SplitSeq(s.only, ",") {
		if name == c.name {
			return true
		}
	}
	return false
}

func contestNames() string {
	name := make([]string, len(contests))
	for i, c := range contests {
		name[i] = c.name
	}
	return strings.Join(name, ", ")
}
