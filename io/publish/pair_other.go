//go:build !amd64

package publish

func compress(*[16]uint32, *byte, *byte, int, *[64]uint32) {
	panic("publish: no instructions for SHA-256")
}

// instructions are not used here.
func instructions() bool { return false }
