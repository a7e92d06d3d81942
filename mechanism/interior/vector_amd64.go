package interior

// product adds to the 4 x 8 block at c, or takes off it, the products of four rows and
// eight: column k of the rows stands at a[8k] to a[8k+3] and at b[8k] to b[8k+7]. k is
// at least 1, stride that of c.
//
//go:noescape
func product(c *float64, stride int, a, b *float64, k int, minus bool)

// instructions reports whether the processor has AVX2 and FMA.
func instructions() bool
