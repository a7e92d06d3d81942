package page

import (
	"encoding/binary"

	"github.com/tacet-privacy/tacet/io/bounds"
	"github.com/tacet-privacy/tacet/io/parquetraw/fault"
	"github.com/tacet-privacy/tacet/io/parquetraw/format"
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
	case e == format.ByteStreamSplit && d.loose && d.width() > 0:
		return newSplit(b, d)
	case e == format.PlainEncoding && d.physical == format.FixedLen:
		return &plainFixed{b, d}, nil
	case e == format.PlainEncoding && d.physical == format.ByteArray:
		return &plainBytes{b, d}, nil
	case e == format.PlainEncoding && d.physical == format.Boolean:
		return &plainBools{hybrid{b: b, width: 1, left: int64(len(b)) * 8, packed: true}}, nil
	case e == format.PlainEncoding:
		return &plainInts{b, d}, nil
	case e == format.RLE && d.physical == format.Boolean:
		if len(b) == 0 { // a page of nulls alone
			return &plainBools{hybrid{width: 1}}, nil
		}
		runs, _, err := levelRuns(b)
		runs.bools = true
		return &plainBools{runs}, err
	case e == format.DeltaBinary && (d.physical == format.Int32 || d.physical == format.Int64):
		return newDeltaInts(b, d)
	case e == format.DeltaLengthBytes && d.physical == format.ByteArray:
		return newDeltaLengthBytes(b, d)
	case e == format.DeltaBytes && d.bytewise():
		return newDeltaBytes(b, d)
	case e == format.ByteStreamSplit:
		return nil, fault.Unsupported("write it with dictionary encoding", "encoding BYTE_STREAM_SPLIT is not supported")
	}
	return nil, fault.Unsupported("write it with dictionary encoding", "encoding %d of a page does not suit the column's type", e)
}

// indices are positions in the dictionary.
type indices struct {
	runs hybrid
	size uint32
}

func (d *dictionary) indexDecoder(b []byte) (decoder, error) {
	if !d.read {
		return nil, fault.Damaged("a page of dictionary indices without a dictionary page")
	}
	if len(b) == 0 { // a page of nulls alone
		return &indices{hybrid{b: b, width: 1}, uint32(d.fixed)}, nil
	}
	if b[0] > 32 {
		return nil, fault.Damaged("dictionary indices of %d bits", b[0])
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
	if !bounds.Hold(code, int32(x.size)-1) {
		return fault.Damaged("a page refers to an entry that the dictionary does not have")
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
	var err error
	for i := range code {
		var v int64
		if width == 8 {
			v = int64(binary.LittleEndian.Uint64(p.b[i*8:]))
		} else {
			v = int64(int32(binary.LittleEndian.Uint32(p.b[i*4:])))
		}
		if code[i], err = p.d.codeOfInt(v); err != nil {
			return err
		}
	}
	p.b = p.b[len(code)*width:]
	return nil
}
