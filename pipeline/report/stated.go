package report

import (
	"reflect"
	"slices"
	"strings"
)

// Stated is all of a report that no other file of the release gives: what people say, how the
// run was asked for, what it saw beside the private column, and what a ledger holds. Whoever
// tells a report again takes it as it is.
type Stated struct {
	Version  string    `json:"version"`                  // of Tacet
	Made     string    `json:"made,omitempty"`           // date of the run, UTC; left out under a test seed
	Stamp    string    `json:"stamp,omitempty"`          // "NOT A PRIVATE RELEASE" when a test seed was used
	About    *About    `json:"about,omitempty"`          // what people say of the release
	Inside   *Inside   `json:"inside,omitempty"`         // and what they say to those who made it
	Columns  []Column  `json:"columns"`                  // every top-level column of the input
	Declared []Source  `json:"declared"`                 // files of the declared choices
	Settings []Setting `json:"options"`                  // effective values and their origins
	Draws    Draws     `json:"randomness"`               // where the randomness comes from
	Beside   Beside    `json:"conditional"`              // what the columns published in clear tell
	History  History   `json:"history"`                  // earlier releases and the cumulative epsilon
	Pinned   *Pinned   `json:"pinned,omitempty"`         // the plan of an earlier night
	Persons  *Persons  `json:"person_figures,omitempty"` // where rows of one person share draws
}

// Shows reports whether a column stands in the output as it is.
func (s *Stated) Shows(column string) bool { return slices.Contains(s.Clear(), column) }

// Clear are the names of the columns that stand in the output as they are.
func (s *Stated) Clear() (names []string) {
	for _, c := range s.Columns {
		if c.Fate == "published in clear" {
			names = append(names, c.Name)
		}
	}
	return names
}

// Setting is the effective value of an option, "" where it is not recorded.
func (s *Stated) Setting(name string) string {
	for _, o := range s.Settings {
		if o.Name == name {
			return o.Value
		}
	}
	return ""
}

// Members are the names in JSON of what is stated, in their order.
func (s *Stated) Members() (names []string) {
	for field, value := range reflect.ValueOf(*s).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if empty := value.Kind() == reflect.Slice && value.Len() == 0; !empty && !value.IsZero() {
			names = append(names, name)
		}
	}
	return names
}
