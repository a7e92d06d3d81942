package report

import "encoding/json"

// A Label names a letter. Null is a letter without a text.
type Label struct {
	Text string
	Null bool
}

// NullLabel is the letter null.
var NullLabel = Label{Null: true}

// Labels are the letters with these texts, null last where it is a letter.
func Labels(text []string, null bool) []Label {
	l := make([]Label, 0, len(text)+1)
	for _, t := range text {
		l = append(l, Label{Text: t})
	}
	if null {
		l = append(l, NullLabel)
	}
	return l
}

// String is the label as people read it.
func (l Label) String() string {
	if l.Null {
		return "(null)"
	}
	return l.Text
}

// MarshalJSON writes null as null.
func (l Label) MarshalJSON() ([]byte, error) {
	if l.Null {
		return []byte("null"), nil
	}
	return json.Marshal(l.Text)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (l *Label) UnmarshalJSON(data []byte) error {
	*l = Label{Null: string(data) == "null"}
	if l.Null {
		return nil
	}
	return json.Unmarshal(data, &l.Text)
}
