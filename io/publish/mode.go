package publish

import (
	"io/fs"
	"sync"

	"golang.org/x/sys/unix"
)

// finalMode is that of the file replaced, else 0666 less the umask; a private
// file is readable by its owner alone.
func finalMode(private bool, replaced fs.FileInfo) fs.FileMode {
	switch {
	case private:
		return 0o600
	case replaced != nil:
		return replaced.Mode().Perm()
	}
	return 0o666 &^ umask()
}

// umask can only be read by setting it. The value set meanwhile is the
// strictest, so that a file made by another goroutine in between is at worst
// too private.
var umask = sync.OnceValue(func() fs.FileMode {
	old := unix.Umask(0o777 &^ 0o700)
	unix.Umask(old)
	return fs.FileMode(old).Perm()
})
