package records

import (
	"hash/maphash"
	"unsafe"
)

// A digest tells one sequence of letters from another, however they come in
// batches: it is the same if they are, else by an accident of 2^-64 only. It is good
// within one process.
type digest struct {
	rows int64
	hash maphash.Hash
}

// digestSeed is that of all digests, so that they can be compared.
var digestSeed = maphash.MakeSeed()

func newDigests(n int) []digest {
	all := make([]digest, n)
	for i := range all {
		all[i].hash.SetSeed(digestSeed)
	}
	return all
}

// add takes the next letters.
func (d *digest) add(letter []int32) {
	d.rows += int64(len(letter))
	d.hash.Write(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(letter))), 4*len(letter)))
}

// is reports whether both are of the same letters.
func (d *digest) is(o *digest) bool { return d.rows == o.rows && d.hash.Sum64() == o.hash.Sum64() }
