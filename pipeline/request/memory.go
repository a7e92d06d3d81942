package request

import (
	"math"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// sizes are the units of --memory, in bytes.
var sizes = []struct {
	unit  string
	bytes float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9},
	{"TB", 1e12}}

// parseMemory reads --memory, in bytes; 0 for none.
func (o *Options) parseMemory() (int64, error) {
	if o.Memory == "" {
		return 0, nil
	}
	for _, s := range sizes {
		number, ok := strings.CutSuffix(o.Memory, s.unit)
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if ok && err == nil && n*s.bytes >= 1 && n*s.bytes < math.MaxInt64/2 {
			return int64(n * s.bytes), nil
		}
	}
	return 0, fault.New(fault.Usage, "give a number with its unit, such as 512MiB or 4GiB", "--memory %q is not a size",
		o.Memory)
}

// checkMemory finds contradictions that need no file.
func (o *Options) checkMemory() []*fault.Fault {
	_, err := o.parseMemory()
	return fault.And(found([]conflict{{o.Memory != "" && !o.Shuffle, "give --shuffle, too, or leave --memory out",
		"--memory is for --shuffle, which is not given"}}), err)
}
