package arrowraw

import "golang.org/x/sys/unix"

// kernelCopy copies as much of s as copy_file_range does. Where the kernel or
// the file systems cannot do it, the rest is left to the caller.
func kernelCopy(out int, at int64, in int, s Span) (int64, error) {
	from, to := s.Offset, at
	for from < s.Offset+s.Len {
		n, err := unix.CopyFileRange(in, &from, out, &to, int(min(s.Offset+s.Len-from, 1<<30)), 0)
		switch err {
		case nil:
		case unix.EINTR:
			continue
		case unix.EXDEV, unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP, unix.EPERM, unix.EBADF, unix.ETXTBSY:
			return from - s.Offset, nil
		default:
			return 0, err
		}
		if n == 0 {
			break
		}
	}
	return from - s.Offset, nil
}
