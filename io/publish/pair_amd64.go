package publish

// compress takes so many blocks of 64 bytes of two messages. The words of either state
// stand as f, e, b, a, h, g, d, c.
//
//go:noescape
func compress(state *[16]uint32, a, b *byte, blocks int, k *[64]uint32)

// instructions reports whether the processor has those for SHA-256.
func instructions() bool
