package page

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// A decoder turns the values of a page, nulls left out, into codes of the
// chunk's dictionary.
type decoder interface {
	next(code []int32) error
}

// decoder opens the values b of a page; slack lies behind them.
func (d *dictionary) decoder(e format.Encoding, b []byte) (decoder, error) {
	switch {
	case e == format.PlainDictionary || e == format.RLEDictionary:
		return d.indexDecoder(b)
	case e == format.ByteStreamSplit && d.width() > 0:
		if len(b)%d.width() != 0 {
			return nil, errPageEnd
		}
		whole, err := new(bytestreamsplit.Encoding).DecodeFixedLenByteArray(make([]byte, len(b)), b, d.width())
		if err != nil {
			return nil, meta.Unsupported("", "byte streams of %d bytes a value are not supported", d.width())
		}
		return d.decoder(format.Plain, whole)
	case e == format.Plain && d.physical == format.FixedLenByteArray:
		return &textDecoder{&plainFixed{b, d.width()}, d}, nil
	case e == format.Plain && d.physical == format.ByteArray:
		return &textDecoder{&plainBytes{b}, d}, nil
	case e == format.Plain && d.physical == format.Boolean:
		return &plainBools{hybrid{b: b, width: 1, left: int64(len(b)) * 8, packed: true}}, nil
	case e == format.Plain:
		return &plainInts{b, d}, nil
	case e == format.RLE && d.physical == format.Boolean:
		if len(b) == 0 { // a page of nulls alone
			return &plainBools{hybrid{width: 1}}, nil
		}
		runs, _, err := levelRuns(b)
		runs.bools = true
		return &plainBools{runs}, err
	case e == format.DeltaBinaryPacked && (d.physical == format.Int32 || d.physical == format.Int64):
		return newDeltaInts(b, d)
	case e == format.DeltaLengthByteArray && d.physical == format.ByteArray:
		x, err := newDeltaLengthBytes(b)
		return &textDecoder{&x, d}, err
	case e == format.DeltaByteArray && d.bytewise():
		x, err := newDeltaBytes(b)
		return &textDecoder{x, d}, err
	case e == format.ByteStreamSplit:
		return nil, meta.Unsupported("write it with dictionary encoding", "encoding BYTE_STREAM_SPLIT is not supported")
	}
	return nil, meta.Unsupported("write it with dictionary encoding",
		"encoding %d of a page does not suit the column's type", e)
}

// indices are positions in the dictionary.
type indices struct {
	runs hybrid
	size uint32
}

func (d *dictionary) indexDecoder(b []byte) (decoder, error) {
	if !d.read {
		return nil, meta.Damaged("a page of dictionary indices without a dictionary page")
	}
	if len(b) == 0 { // a page of nulls alone
		return &indices{hybrid{b: b, width: 1}, uint32(d.fixed)}, nil
	}
	if b[0] > 32 {
		return nil, meta.Damaged("dictionary indices of %d bits", b[0])
	}
	return &indices{hybrid{b: b[1:], width: uint(b[0])}, uint32(d.fixed)}, nil
}

func (x *indices) next(code []int32) error {
	if err := x.runs.next(code); err != nil {
		return err
	}
	if x.runs.width < 32 && 1<<x.runs.width <= x.size || len(code) == 0 {
		return nil
	}
	sign, last := int32(0), int32(x.size)-1
	for _, c := range code {
		sign |= c | (last - c) // no other than 0 to last has two without a sign
	}
	if sign < 0 {
		return meta.Damaged("a page refers to an entry that the dictionary does not have")
	}
	return nil
}

// plainBools have false and true for codes.
type plainBools struct{ runs hybrid }

func (p *plainBools) next(code []int32) error { return p.runs.next(code) }

type plainInts struct {
	b []byte
	d *dictionary
}

func (p *plainInts) next(code []int32) error {
	width := p.d.width()
	if len(p.b)/width < len(code) {
		return errPageEnd
	}
	readInts(p.d.newInts(code), p.b, width)
	p.b = p.b[len(code)*width:]
	return nil
}

// A textDecoder gives byte strings codes, one after the other.
type textDecoder struct {
	from interface {
		one() ([]byte, error) // the next one, good until it is called again
	}
	d *dictionary
}

func (x *textDecoder) next(code []int32) error {
	for i := range code {
		v, err := x.from.one()
		if err != nil {
			return err
		}
		if code[i], err = x.d.codeOfBytes(v); err != nil {
			return err
		}
	}
	return nil
}

// plainBytes are values behind their lengths in 4 bytes.
type plainBytes struct{ b []byte }

func (p *plainBytes) one() ([]byte, error) {
	if len(p.b) < 4 {
		return nil, errPageEnd
	}
	n := binary.LittleEndian.Uint32(p.b)
	if uint64(n) > uint64(len(p.b)-4) {
		return nil, errPageEnd
	}
	v := p.b[4 : 4+n]
	p.b = p.b[4+n:]
	return v, nil
}

// plainFixed are values of a fixed number of bytes.
type plainFixed struct {
	b     []byte
	width int
}

func (p *plainFixed) one() ([]byte, error) {
	if p.width < 1 || len(p.b) < p.width {
		return nil, errPageEnd
	}
	v := p.b[:p.width]
	p.b = p.b[p.width:]
	return v, nil
}
