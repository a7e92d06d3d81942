package publish

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// newUnnamed makes a file in dir that has no name and so vanishes with its
// last descriptor; nil where the file system has none of that kind or where
// it could not be given a name later.
func newUnnamed(dir string) *os.File {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), dir)
	if _, err := os.Stat(procName(f)); err != nil || f.Chmod(0o600) != nil {
		f.Close()
		return nil
	}
	return f
}

func reopenUnnamed(f *os.File) (*os.File, error) {
	return os.OpenFile(procName(f), os.O_RDONLY, 0)
}

// linkUnnamed gives f the name path, which must be free.
func linkUnnamed(f *os.File, path string) error {
	return unix.Linkat(unix.AT_FDCWD, procName(f), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
}

func procName(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }
