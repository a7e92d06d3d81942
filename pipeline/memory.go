package pipeline

import (
	"bufio"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// fitsMemory refuses a table of letters that the machine cannot hold, before
// it is allocated.
func fitsMemory(inputs, outputs int) error {
	need, have := design.EstimateBytes(inputs, outputs), memory()
	if inputs*outputs <= tableCells {
		need += 32 * int64(inputs) * int64(outputs) // order.csv as text, and its buffer while it grows
	}
	if need > have {
		return fault.New(fault.Environment, "merge letters, or run on a larger machine",
			"a design over %d by %d letters needs about %d MiB of memory, %d MiB are free", inputs, outputs, need>>20, have>>20)
	}
	return nil
}

// memory is what may still be allocated, in bytes: the smallest of the free
// memory of the machine, GOMEMLIMIT and the limit of the process.
func memory() int64 {
	free := int64(math.MaxInt64)
	if f, err := os.Open("/proc/meminfo"); err == nil {
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if rest, ok := strings.CutPrefix(lines.Text(), "MemAvailable:"); ok {
				if kb, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64); err == nil {
					free = kb << 10
				}
			}
		}
	}
	return min(free, debug.SetMemoryLimit(-1))
}
