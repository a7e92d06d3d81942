package request

// Observed says what may be seen beside the private column, and how that is
// judged.
type Observed struct {
	Audit       string   // "sample" (default), "full", "off"
	AllowLinked []string // columns that stay although they give the private one away
	AllowSorted bool     // rows stay in an order that gives it away
	Person      string   // column that identifies a person, who may have several rows; "" for none
}

// Observed is that of the options.
func (o *Options) Observed() Observed {
	return Observed{Audit: o.Audit, AllowLinked: o.AllowLinked, AllowSorted: o.AllowSorted, Person: o.Person}
}
