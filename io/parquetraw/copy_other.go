//go:build !linux

package parquetraw

import "os"

func copyInKernel(int, int64, *os.File, int64, int) int64 { return 0 }
