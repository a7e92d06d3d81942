package arrowraw

import "golang.org/x/sys/unix"

// kernelCopy copies up to n bytes with copy_file_range and returns how many
// were copied: 0 where the kernel or the file systems cannot, for whatever
// reason.
func kernelCopy(out int, at int64, in int, from, n int64) int64 {
	for {
		done, err := unix.CopyFileRange(in, &from, out, &at, int(n), 0)
		if err == unix.EINTR {
			continue
		}
		return int64(max(done, 0))
	}
}
