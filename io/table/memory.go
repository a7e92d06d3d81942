package table

import (
	"bufio"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// FreeMemory is what may still be allocated, in bytes: the smallest of the free
// memory of the machine, GOMEMLIMIT and the limit of the process.
func FreeMemory() int64 {
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
