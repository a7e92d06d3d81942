//go:build !linux

package publish

import "os"

func copyInKernel(int, int64, *os.File, int64, int) int64 { return 0 }

func startWriting(int, int64, int64) {}
