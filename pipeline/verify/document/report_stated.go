package document

// A statedClaims is what no file of the release can confirm.
type statedClaims struct {
	Domain struct {
		Rule     string `json:"rule"`
		Declared int    `json:"declared"`
		Observed int    `json:"observed"`
		Unseen   string `json:"unseen"`
		Null     string `json:"null"`
	} `json:"domain"`
	Declared []struct {
		Flag   string `json:"flag"`
		Name   string `json:"name"`
		SHA256 string `json:"sha256"`
	} `json:"declared"`
	Conditional struct {
		State   string    `json:"state"`
		Records int64     `json:"records"`
		Of      int64     `json:"of"`
		Columns []told    `json:"columns"`
		Pairs   []told    `json:"pairs"`
		Place   *told     `json:"place"`
		Runs    *runs     `json:"runs"`
		Found   []finding `json:"findings"`
	} `json:"conditional"`
	History historyClaims `json:"history"`
	Persons *personClaims `json:"person_figures"`
	Floors  []struct {
		Floor   string  `json:"floor"`
		At      float64 `json:"at"`
		ByValue bool    `json:"by_value"`
		Value   float64 `json:"value"`
		Safe    string  `json:"safe_factor"`
		Nats    float64 `json:"safe_nats"`
		Lower   string  `json:"lower_factor"`
		Mean    float64 `json:"safe_mean"`
	} `json:"floors"`
	Randomness struct {
		Generator string `json:"generator"`
		Key       string `json:"key"`
		Kind      string `json:"kind"`
		KeyID     string `json:"key_id"`
		Unit      string `json:"unit"`
	} `json:"randomness"`
	Difference []struct {
		Field  string `json:"field"`
		Before string `json:"before"`
		Now    string `json:"now"`
	} `json:"difference"`
}

// An aboutClaim is what people say; nothing of it can be checked.
type aboutClaim struct {
	Release     string `json:"release"`
	Date        string `json:"date"`
	DataFrom    string `json:"data_from"`
	DataTo      string `json:"data_to"`
	Series      string `json:"series"`
	Owner       string `json:"owner"`
	Preparer    string `json:"preparer"`
	Reviewer    string `json:"reviewer"`
	NextReview  string `json:"next_review"`
	Purpose     string `json:"purpose"`
	Recipients  string `json:"recipients"`
	Access      string `json:"access"`
	Terms       string `json:"terms"`
	WhyColumn   string `json:"why_column"`
	WhyDetail   string `json:"why_detail"`
	Row         string `json:"row"`
	Persons     string `json:"persons"`
	SinglingOut string `json:"singling_out"`
	Linkability string `json:"linkability"`
	Inference   string `json:"inference"`
}
