package draw

// A Name is the keyed hash of an ID by which a history knows a record: without
// the key it says nothing about the id, and it never depends on the letter.
type Name [16]byte

// Names makes the names of one population's records in one column. It is
// immutable and may be shared by all goroutines.
//
// A history outlives a rotation of the key that draws: names must be made from
// a key that stays, or every record would start anew and its cumulative figure
// would be wrong.
type Names struct{ mac mac }

// NewNames derives names from key. A zero Key panics.
func NewNames(key Key, unit Unit, population, column string) *Names {
	return &Names{newMAC(derive(key, "tacet/v1 record name", string(unit), population, column))}
}

// Namer is a Namer for one goroutine.
func (n *Names) Namer() *Namer { return &Namer{names: n} }

// A Namer names records. It belongs to one goroutine at a time and does not
// allocate.
type Namer struct {
	names *Names
	block Name
}

// Name is the tag of the parts of id. An empty id is a caller's bug and panics.
func (n *Namer) Name(id *ID) Name {
	n.names.mac.tag((*[16]byte)(&n.block), id.message()[header:])
	return n.block
}
