package splice

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

// startWriting has the kernel begin to write what was copied to the disk, so
// that less is left for the sync at the end. It is a hint, and no more.
func startWriting(out int, at, n int64) {
	_ = unix.SyncFileRange(out, at, n, unix.SYNC_FILE_RANGE_WRITE)
}
