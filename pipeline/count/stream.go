package count

import (
	"io"

	arrow "github.com/tacet-privacy/tacet/io/arrow"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A Stream is an input that is read once: nothing of it is counted before it goes out.
// The alphabets of its private columns have a type and no values.
type Stream struct {
	*Input
	*arrow.Stream
}

// OpenStream reads the schema of a stream and finds the columns.
func OpenStream(r request.Reading, columns []string, from io.Reader) (*Stream, error) {
	raw, err := arrow.OpenStream(from)
	if err != nil {
		return nil, InFile(r.Path, err)
	}
	s := &Stream{&Input{Reading: r}, raw}
	if s.Dropped, err = dropped(raw.Columns(), columns, r.Keep, r.Drop); err != nil {
		return nil, err
	}
	asked := s.asked(columns)
	asked.Drop = s.Dropped
	if err := raw.Choose(asked); err != nil {
		return nil, InFile(r.Path, err)
	}
	s.find(columns, raw.Columns())
	for at, p := range s.Private {
		p.Alphabet = table.NewAlphabet(raw.TypeOf(at), nil, false)
	}
	return s, nil
}
