package report

// About is what people say of a release to everyone: nothing of it is computed,
// nothing is checked, and what is empty is shown as "not stated".
type About struct {
	Release    string `json:"release,omitempty" yaml:"release"`         // id of the release
	Date       string `json:"date,omitempty" yaml:"date"`               // of the release
	DataFrom   string `json:"data_from,omitempty" yaml:"data_from"`     // earliest date the records are about
	DataTo     string `json:"data_to,omitempty" yaml:"data_to"`         // latest date the records are about
	Series     string `json:"series,omitempty" yaml:"series"`           // "single", or how often it is released
	Owner      string `json:"owner,omitempty" yaml:"owner"`             // office that answers for the data
	NextReview string `json:"next_review,omitempty" yaml:"next_review"` // date

	Purpose    string `json:"purpose,omitempty" yaml:"purpose"`
	Recipients string `json:"recipients,omitempty" yaml:"recipients"`
	Access     string `json:"access,omitempty" yaml:"access"` // open, licensed, on request
	Terms      string `json:"terms,omitempty" yaml:"terms"`   // what recipients agree to

	WhyColumn string `json:"why_column,omitempty" yaml:"why_column"` // why this column is published at all
	WhyDetail string `json:"why_detail,omitempty" yaml:"why_detail"` // why at this detail
	Row       string `json:"row,omitempty" yaml:"row"`               // what one row is
	Persons   string `json:"persons,omitempty" yaml:"persons"`       // rows one person may have

	SinglingOut string `json:"singling_out,omitempty" yaml:"singling_out"` // what else was done against each
	Linkability string `json:"linkability,omitempty" yaml:"linkability"`
	Inference   string `json:"inference,omitempty" yaml:"inference"`
}

// Inside is what people say of a release to those who made it: who they are, and
// notes. A Public has no place for it, so nothing of it reaches a public file.
type Inside struct {
	Contact  string `json:"contact,omitempty" yaml:"contact"`   // how the owner is reached
	Preparer string `json:"preparer,omitempty" yaml:"preparer"` // who made the release
	Reviewer string `json:"reviewer,omitempty" yaml:"reviewer"` // who looked at it
	Approver string `json:"approver,omitempty" yaml:"approver"` // who may approve it
	Notes    string `json:"notes,omitempty" yaml:"notes"`
}
