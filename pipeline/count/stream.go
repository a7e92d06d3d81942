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
	request := table.Request{Private: columns, Beside: r.Beside(), Threads: r.Threads, Metadata: r.Metadata,
		Drop: s.Dropped}
	for _, name := range columns {
		request.Bins = append(request.Bins, r.Bins[name])
	}
	if err := raw.Choose(request); err != nil {
		return nil, InFile(r.Path, err)
	}
	for at, name := range columns {
		p := &Source{Input: s.Input, at: at, Alphabet: table.NewAlphabet(raw.TypeOf(at), nil, false)}
		for _, c := range raw.Columns() {
			if c.Name == name {
				p.Column = c
			}
		}
		s.Private = append(s.Private, p)
	}
	return s, nil
}
