package codec

import "sync"

// buffers are read from the input again and again. They hold raw values, so
// nothing that is written is ever taken from here.
var buffers sync.Pool

// Borrow is a buffer of n bytes that hold anything.
func Borrow(n int64) []byte {
	if b, ok := buffers.Get().(*[]byte); ok && int64(cap(*b)) >= n {
		return (*b)[:n]
	}
	return make([]byte, n)
}

// Lend takes a buffer back, for others to borrow.
func Lend(b []byte) {
	if cap(b) > 0 {
		buffers.Put(&b)
	}
}
