package releases

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"sort"
)

// Null is the output of a record that was published as null.
const Null = 0xffff

// A Name is the keyed name of a record.
type Name [16]byte

// An Entry is one output of a record: through which channel, and in which
// nights first and last.
type Entry struct{ Channel, Output, First, Last uint16 }

// A Source is a way in which outputs came about: the channel of entries.
type Source struct {
	Design string `json:"design_sha256"`
	Key    string `json:"key_id"`
	Kind   string `json:"kind"`
}

// About is what the file says of itself.
type About struct {
	Ledger     string   `json:"ledger"`
	Dataset    string   `json:"dataset"`
	Column     string   `json:"column"`
	Population string   `json:"population"`
	Names      string   `json:"names"`
	Limit      int      `json:"limit"`
	Night      int      `json:"night"`
	Channels   []Source `json:"channels"`
	Records    int64    `json:"records"`
	Entries    int64    `json:"entries"`
}

// A History is a record history in memory.
type History struct {
	About
	SHA256 string
	body   []byte
	mark   []int // where every 64th record stands
}

const (
	magic = "tacet.history/1\n"
	head  = 18
	size  = 8
	apart = 64
)

// ReadHistory reads the record history at path. An error says what is wrong with the file,
// without its name.
func ReadHistory(path string) (*History, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	f := &History{SHA256: hex.EncodeToString(sum[:])}
	data, begun := bytes.CutPrefix(data, []byte(magic))
	data, ended := bytes.CutSuffix(data, []byte(magic))
	if !begun || !ended || len(data) < 4 {
		return nil, fmt.Errorf("is no record history, or is cut short")
	}
	at := int64(len(data)-4) - int64(binary.LittleEndian.Uint32(data[len(data)-4:]))
	if at < 0 {
		return nil, fmt.Errorf("is a record history with a damaged end")
	}
	d := json.NewDecoder(bytes.NewReader(data[at : len(data)-4]))
	d.DisallowUnknownFields()
	if d.Decode(&f.About) != nil || f.Night < 1 || f.Limit < 2 {
		return nil, fmt.Errorf("is a record history that cannot be read")
	}
	f.body = data[:at]
	return f, f.index()
}

// index walks over all records and holds them to the format.
func (f *History) index() error {
	records, entries := int64(0), int64(0)
	var before []byte
	for at := 0; at < len(f.body); records++ {
		rest := f.body[at:]
		if len(rest) < head || len(rest) < length(rest) || before != nil && bytes.Compare(before, rest[:16]) >= 0 {
			return fmt.Errorf("is a record history whose record %d is cut off or out of order", records+1)
		}
		if !f.sound(list(rest, nil)) {
			return fmt.Errorf("is a record history whose record %d has entries that cannot be", records+1)
		}
		if records%apart == 0 {
			f.mark = append(f.mark, at)
		}
		entries += int64(binary.LittleEndian.Uint16(rest[16:]))
		before = rest[:16]
		at += length(rest)
	}
	if records != f.Records || entries != f.Entries {
		return fmt.Errorf("is a record history of %d records and %d entries that counts %d and %d", records, entries,
			f.Records, f.Entries)
	}
	return nil
}

// sound reports entries in the order of their first nights, none twice, no
// more of a channel than are kept, and none of a night that is to come.
func (f *History) sound(list []Entry) bool {
	for i, e := range list {
		if int(e.Channel) >= len(f.Channels) || e.First < 1 || e.Last < e.First || int(e.Last) > f.Night || i > 0 &&
			e.First < list[i-1].First {
			return false
		}
		same := 1
		for _, o := range list[:i] {
			if o.Channel == e.Channel {
				if same++; o.Output == e.Output {
					return false
				}
			}
		}
		if same > f.Limit {
			return false
		}
	}
	return len(list) > 0
}

// Each visits every record with its entries, which f must not keep.
func (f *History) Each(visit func(Name, []Entry) error) error {
	var entries []Entry
	for rest := f.body; len(rest) > 0; rest = rest[length(rest):] {
		entries = list(rest, entries[:0])
		if err := visit(Name(rest[:16]), entries); err != nil {
			return err
		}
	}
	return nil
}

// Find appends the entries of a record to dst, nothing where it is not known.
func (f *History) Find(n Name, dst []Entry) []Entry {
	i := sort.Search(len(f.mark), func(i int) bool { return bytes.Compare(f.body[f.mark[i]:f.mark[i]+16], n[:]) > 0 }) - 1
	if i < 0 {
		return dst
	}
	for rest := f.body[f.mark[i]:]; len(rest) > 0; rest = rest[length(rest):] {
		switch bytes.Compare(rest[:16], n[:]) {
		case 0:
			return list(rest, dst)
		case 1:
			return dst
		}
	}
	return dst
}

func length(record []byte) int { return head + size*int(binary.LittleEndian.Uint16(record[16:])) }

func list(record []byte, dst []Entry) []Entry {
	for b := record[head:length(record)]; len(b) > 0; b = b[size:] {
		dst = append(dst, Entry{binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:]),
			binary.LittleEndian.Uint16(b[4:]), binary.LittleEndian.Uint16(b[6:])})
	}
	return dst
}
