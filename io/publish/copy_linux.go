package publish

import (
	"os"

	"golang.org/x/sys/unix"
)

// copyInKernel returns how many bytes it copied, 0 where it cannot: between
// file systems, on kernels or file systems without it, behind the end of the
// file, on a full disk.
func copyInKernel(out int, to int64, in *os.File, from int64, n int) int64 {
	for {
		copied, err := unix.CopyFileRange(int(in.Fd()), &from, out, &to, n, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil || copied < 0 {
			return 0
		}
		return int64(copied)
	}
}

// startWriting has the kernel begin to write a range of the output to the disk,
// so that less is left for the sync at the end. It is a hint: whether anything
// was written, and how, is for that sync to say.
func startWriting(out int, at, n int64) {
	_ = unix.SyncFileRange(out, at, n, unix.SYNC_FILE_RANGE_WRITE)
}
