package draw

import "math/bits"

// orderOf begins the context of the stream that orders rows, so that no word of it
// decides a draw.
const orderOf = "tacet/v1 order of rows"

// Order is a random order of n things, each order as likely as any other: the
// number of what comes at each place. It exchanges place i, from the last down
// to the second, with a place from 0 to i [Durstenfeld 1964].
func Order(s *Source, n int) []uint32 {
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	for i := n - 1; i > 0; i-- {
		k := s.below(uint32(i) + 1)
		order[i], order[k] = order[k], order[i]
	}
	return order
}

// below is a uniform number of 0..n-1 from two words, the higher first: four where
// the first two are refused [Lemire 2019].
func (s *Source) below(n uint32) uint32 {
	for {
		high, low := bits.Mul32(uint32(s.Word())<<16|uint32(s.Word()), n)
		if low >= n || low >= -n%n {
			return high
		}
	}
}

// OrderStream is the stream by which rows are ordered: that of a key, and of
// what the context names.
func OrderStream(key Key, context ...string) *Source {
	return newStreams(key, orderOf, context).Unit(0, 0)
}

// TestOrderStream is the production stream under the key of TestStreams: an order
// that can be repeated and is not private.
func TestOrderStream(seed uint64) *Source { return OrderStream(testKey(seed)) }

// Order is the stream by which the rows of a run are ordered that follows the plans
// with these hashes.
func (r Run) Order(plans ...[32]byte) *Source {
	var all []byte
	for _, p := range plans {
		all = append(all, p[:]...)
	}
	return OrderStream(r.Key, r.ID, string(all), r.Path, string(r.Content[:]))
}
