package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// A dataset is a file that is made once and kept in the cache folder.
type dataset struct {
	Name    string
	Rows    int // at scale 1
	Codec   string
	Columns []string // of id, l16, m16, l1000, m1000, amount; nil is the flights file
	Plain   bool     // strings are not in dictionaries
	Arrow   bool     // an Arrow IPC file instead of Parquet
	Fixed   bool     // the scale does not change it
	Linked  string   // columns that reveal the private one, and are published nevertheless
	Group   int      // rows of a row group or record batch; 0 is groupRows

	Path string // set by ensure
	From string // the flights file, set by ensure
}

var rowColumns = []string{"id", "l16", "l1000", "amount"}

// datasets is the only list of data sets.
var datasets = []dataset{
	{Name: "rows-snappy", Rows: 20e6, Codec: "snappy", Columns: rowColumns},
	{Name: "rows-zstd", Rows: 20e6, Codec: "zstd", Columns: rowColumns},
	{Name: "rows-5M", Rows: 5e6, Codec: "snappy", Columns: rowColumns},
	{Name: "rows-80M", Rows: 80e6, Codec: "snappy", Columns: rowColumns},
	{Name: "one-column", Rows: 20e6, Codec: "snappy", Columns: []string{"l16"}},
	{Name: "plain", Rows: 20e6, Codec: "snappy", Columns: []string{"id", "l16", "amount"}, Plain: true},
	{Name: "flights", Rows: 5e6, Codec: "snappy", Linked: "date,delay,distance,destination"},
	{Name: "arrow", Rows: 20e6, Columns: []string{"id", "l16", "amount"}, Arrow: true},
	{Name: "beside", Rows: 20e6, Codec: "snappy", Columns: []string{"id", "l16", "m16", "l1000", "amount"},
		Group: 122_880},
	{Name: "two", Rows: 20e6, Codec: "snappy", Columns: []string{"id", "l16", "m16", "l1000", "m1000"}},
	{Name: "tiny", Rows: 100, Codec: "snappy", Columns: rowColumns, Fixed: true, Linked: "id,l1000,amount"},
}

// ensure makes a data set unless it is there. A child process makes it, so
// that this one stays small: the peak memory of a process that has not yet
// outgrown the one that started it cannot be told from that one's.
func (s *settings) ensure(ctx context.Context, name string) (dataset, error) {
	for _, d := range datasets {
		if d.Name != name {
			continue
		}
		if !d.Fixed {
			d.Rows = max(1000, int(float64(d.Rows)*s.scale))
		}
		end := ".parquet"
		if d.Arrow {
			end = ".arrow"
		}
		d.From = s.flights
		d.Path = filepath.Join(s.cache, fmt.Sprintf("%s-%d%s", d.Name, d.Rows, end))
		if _, err := os.Stat(d.Path); err == nil {
			return d, nil
		}
		fmt.Fprintf(os.Stderr, "making %s, %d rows\n", d.Name, d.Rows)
		spec, err := json.Marshal(d)
		if err != nil {
			return d, err
		}
		temp := d.Path + ".part"
		defer os.Remove(temp)
		if _, err := s.child(ctx, errand{Do: "make", Output: temp, Spec: spec}); err != nil {
			return d, fmt.Errorf("making the data set %s: %w", name, err)
		}
		return d, os.Rename(temp, d.Path)
	}
	return dataset{}, fmt.Errorf("there is no data set %q", name)
}

// A goal is what the design is asked for.
type goal struct {
	utility string // spec; %s is replaced by the file of labels or places
	epsilon string
	design  string
}

// goals are chosen so that about half the outputs are allowed; near is what
// the demonstration run asks for.
var goals = map[string]goal{
	"even":     {"circular:@%s", "1", "safe"},
	"weighted": {"circular:@%s", "1", "optimal"},
	"near":     {"positions:%s", "4.1", "safe"},
}

// spec is the utility of a goal for a column, whose labels it writes.
func (s *settings) spec(g goal, column string) (string, error) {
	if column == "origin" {
		return fmt.Sprintf(g.utility, s.airports), nil
	}
	path := filepath.Join(s.cache, column+".txt")
	text := ""
	for _, l := range letters(column) {
		text += l + "\n"
	}
	return fmt.Sprintf(g.utility, path), os.WriteFile(path, []byte(text), 0o666)
}

// letters are the labels of a column, in the order of the circle.
func letters(column string) []string {
	n := map[string]int{"l16": 16, "m16": 16, "l1000": 1000, "m1000": 1000}[column]
	l := make([]string, n)
	for i := range l {
		l[i] = fmt.Sprintf("L%03d", i)
	}
	return l
}
