//go:build !linux

package arrowraw

func kernelCopy(out int, at int64, in int, s Span) (int64, error) { return 0, nil }
