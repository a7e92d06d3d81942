package page

import (
	"github.com/tacet-privacy/tacet/io/parquetraw/fault"
)

// deltaLengthBytes are byte strings behind the list of their lengths.
type deltaLengthBytes struct {
	lengths *delta
	b       []byte
	d       *dictionary
}

func newDeltaLengthBytes(b []byte, d *dictionary) (decoder, error) {
	x, err := openDeltaLengthBytes(b)
	x.d = d
	return &x, err
}

func openDeltaLengthBytes(b []byte) (x deltaLengthBytes, err error) {
	if len(b) == 0 { // a page of nulls alone
		return deltaLengthBytes{lengths: &delta{}}, nil
	}
	walk, err := newDelta(b, 32)
	if err != nil {
		return x, err
	}
	if x.b, err = walk.end(); err != nil {
		return x, err
	}
	x.lengths, err = newDelta(b, 32)
	return x, err
}

// one returns the next value.
func (x *deltaLengthBytes) one() ([]byte, error) {
	var n [1]int64
	if err := x.lengths.next(n[:]); err != nil {
		return nil, err
	}
	if n[0] < 0 || n[0] > int64(len(x.b)) {
		return nil, errPageEnd
	}
	v := x.b[:n[0]]
	x.b = x.b[n[0]:]
	return v, nil
}

func (x *deltaLengthBytes) next(code []int32) error {
	for i := range code {
		v, err := x.one()
		if err != nil {
			return err
		}
		if code[i], err = x.d.codeOfBytes(v); err != nil {
			return err
		}
	}
	return nil
}

// deltaBytes are byte strings each of which shares a prefix with the one
// before it: the list of the prefixes' lengths, then the rest of each.
type deltaBytes struct {
	prefixes *delta
	rest     deltaLengthBytes
	value    []byte
	d        *dictionary
}

func newDeltaBytes(b []byte, d *dictionary) (decoder, error) {
	if len(b) == 0 { // a page of nulls alone
		return &deltaBytes{prefixes: &delta{}, rest: deltaLengthBytes{lengths: &delta{}}, d: d}, nil
	}
	walk, err := newDelta(b, 32)
	if err != nil {
		return nil, err
	}
	tail, err := walk.end()
	if err != nil {
		return nil, err
	}
	x := &deltaBytes{d: d}
	if x.prefixes, err = newDelta(b, 32); err != nil {
		return nil, err
	}
	x.rest, err = openDeltaLengthBytes(tail)
	return x, err
}

func (x *deltaBytes) next(code []int32) error {
	for i := range code {
		var n [1]int64
		if err := x.prefixes.next(n[:]); err != nil {
			return err
		}
		v, err := x.rest.one()
		if err != nil {
			return err
		}
		if n[0] < 0 || n[0] > int64(len(x.value)) {
			return fault.Damaged("a value shares more with the one before than that is long")
		}
		x.value = append(x.value[:n[0]], v...)
		if len(x.value) > maxValue {
			return fault.Unsupported("such a column is no alphabet; hash or bucket it first", "a value of more than %d MiB", maxValue>>20)
		}
		if code[i], err = x.d.codeOfBytes(x.value); err != nil {
			return err
		}
	}
	return nil
}
