//go:build !linux

package publish

import (
	"os"

	"golang.org/x/sys/unix"
)

func newUnnamed(string) *os.File { return nil }

func reopenUnnamed(*os.File) (*os.File, error) { return nil, unix.ENOTSUP }

func linkUnnamed(*os.File, string) error { return unix.ENOTSUP }
