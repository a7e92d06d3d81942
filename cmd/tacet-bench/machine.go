package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// machine says where and when the figures were taken.
func machine() string {
	sha := "without"
	if hashes() {
		sha = "with"
	}
	return fmt.Sprintf("%s: %s, %d processors, %s instructions for SHA-256, %s %s, %s.",
		time.Now().UTC().Format("2006-01-02"),
		cpuinfo("model name"), runtime.NumCPU(), sha, runtime.GOOS, kernel(), runtime.Version())
}

// hashes reports whether the flags of the processor name instructions for SHA-256.
func hashes() bool {
	able := cpuinfo("flags") + cpuinfo("Features")
	return strings.Contains(able, "sha_ni") || strings.Contains(able, "sha2")
}

// cpuinfo is what the system says of the first processor, its architecture
// where it says nothing.
func cpuinfo(key string) string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func kernel() string {
	data, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// loadAverage is that of the last minute, with this program's own share.
func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Fields(string(data))[0]
}
