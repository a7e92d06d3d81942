package pipeline_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline"
)

// repeated is a job whose output must not depend on how it is worked on.
type repeated struct {
	name   string
	o      pipeline.Options
	column string
	units  []int // rows of each
}

func repeatedJobs(t *testing.T) []repeated {
	t.Helper()
	few, input := fewFlights(t), filepath.Join(t.TempDir(), "flights.arrow")
	writeArrow(t, input, arrowTable(t, few), true, nil)
	numbers := filepath.Join(t.TempDir(), "numbers")
	unequal(t, numbers, 100_000)
	skewed := flights("", numbers, 5)
	skewed.Column, skewed.Utility, skewed.Epsilon, skewed.Design, skewed.Drop = "n", "numeric", "1", "optimal", nil
	quarters := []int{5000, 5000, 5000, 5000}
	return []repeated{
		{"parquet", flights("", few, 5), "origin", quarters},
		{"arrow", flights("", input, 5), "origin", quarters},
		{"unequal weights", skewed, "n", []int{30_000, 30_000, 30_000, 10_000}},
	}
}

// into sends the job's files to a new folder.
func (j *repeated) into(dir string, threads int) pipeline.Options {
	o := j.o
	o.Output, o.Report, o.Threads = filepath.Join(dir, "out"), filepath.Join(dir, "report"), threads
	return o
}

// TestThreadsDoNotShow: one thread or many write the same bytes.
func TestThreadsDoNotShow(t *testing.T) {
	for _, j := range repeatedJobs(t) {
		var first []byte
		for _, threads := range []int{1, 8, 0} {
			o := j.into(t.TempDir(), threads)
			run(t, o)
			if out := read(t, o.Output); first == nil {
				first = out
			} else if !bytes.Equal(out, first) {
				t.Errorf("%s: %d threads write other bytes than one", j.name, threads)
			}
		}
		o := j.into(t.TempDir(), 1)
		seed := uint64(6)
		o.TestSeed = &seed
		if run(t, o); bytes.Equal(read(t, o.Output), first) {
			t.Errorf("%s: control: another seed writes the same bytes", j.name)
		}
	}
}

// TestBatchesDoNotShow predicts every cell of the written file from the seed,
// the plan and the cells of the input, unit by unit, drawing in batches of any
// size: a stream belongs to a unit, and its words are taken row by row, so
// whatever batches the file is read in cannot matter.
func TestBatchesDoNotShow(t *testing.T) {
	for _, j := range repeatedJobs(t) {
		o := j.into(t.TempDir(), 0)
		run(t, o)
		in, out := arrowColumns(t, o.Input, j.column)[j.column], arrowColumns(t, o.Output, j.column)[j.column]
		l := law(planRows(t, filepath.Join(o.Report, "plan.json")))
		letters := distinct(in)
		place := map[string]int32{}
		if j.column == "n" { // letters by value, as the plan has them
			slices.SortFunc(letters, func(a, b string) int { return int(number(t, a) - number(t, b)) })
		}
		for i, x := range letters {
			place[x] = int32(i)
		}
		var rows []mechanism.Row
		for _, x := range letters {
			var ys []uint16
			var weight []int64
			equal := true
			for y, label := range letters {
				if w := l[x][label]; w > 0 {
					ys, weight = append(ys, uint16(y)), append(weight, w)
					equal = equal && w == 1
				}
			}
			if equal {
				rows = append(rows, mechanism.UniformRow(ys))
			} else {
				rows = append(rows, mechanism.WeightedRow(ys, weight))
			}
		}
		m, err := mechanism.New(len(letters), rows)
		if err != nil {
			t.Fatal(err)
		}
		table := draw.NewTable(m)
		for _, batch := range []int{1, 3, 1000, 4096, 1 << 20, -1} {
			t.Run(fmt.Sprintf("%s/%d", j.name, batch), func(t *testing.T) {
				sizes := rand.New(rand.NewPCG(1, 2))
				from := 0
				for unit, n := range j.units {
					drawn := make([]int32, n)
					for i := range drawn {
						drawn[i] = place[in[from+i]]
					}
					source := draw.TestStreams(5, j.column).Unit(unit, 0)
					for left := drawn; len(left) > 0; {
						size := min(max(batch, 1), len(left))
						if batch < 0 {
							size = min(1+sizes.IntN(9000), len(left))
						}
						table.Draw(source, left[:size])
						left = left[size:]
					}
					for i, y := range drawn {
						if letters[y] != out[from+i] {
							t.Fatalf("row %d is not what the stream of unit %d gives", from+i+1, unit)
						}
					}
					from += n
				}
				if from != len(out) {
					t.Errorf("%d rows predicted of %d", from, len(out))
				}
			})
		}
	}
}
