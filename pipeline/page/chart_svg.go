package page

// frameSVG opens and closes every drawing.
const frameSVG = `{{define "open"}}<svg class="tp{{with .Kind}} tp-{{.}}{{end}}" xmlns="http://www.w3.org/2000/svg" viewBox="{{.View}}" role="img" aria-labelledby="{{.ID}}-title {{.ID}}-desc" font-family="system-ui, sans-serif" font-size="13">
<title id="{{.ID}}-title">{{.Name}}</title>
<desc id="{{.ID}}-desc">{{.Description}}</desc>
{{if .Alone}}<style>{{css}}</style>
{{end}}<rect class="tp-ground" width="{{.Width}}" height="{{.Height}}"/>
{{if .Alone}}<text x="14" y="24" font-size="16" font-weight="600">{{.Head}}</text>
{{end}}{{end}}
{{define "style"}}{{if eq .Style 0}}<circle class="tp-m0" cx="{{.X}}" cy="{{.Y}}" r="3.2"/>{{else if eq .Style 1}}<rect class="tp-m1" x="{{sub .X 3}}" y="{{sub .Y 3}}" width="6" height="6"/>{{else if eq .Style 2}}<path class="tp-m2" d="M{{.X}} {{sub .Y 4}}l4 7h-8z"/>{{else}}<path class="tp-m3" d="M{{.X}} {{sub .Y 4}}l4 4l-4 4l-4 -4z"/>{{end}}{{end}}
`

// chartSVG is the drawing of a chart.
const chartSVG = `{{define "chart"}}{{template "open" .}}{{range .Zones}}<rect class="tp-zone" x="{{.Left}}" y="{{$.Top}}" width="{{.Width}}" height="{{sub $.Bottom $.Top}}"/><text x="{{if .End}}{{add .Left .Width}}{{else}}{{.Left}}{{end}}" y="{{sub $.Top 4}}" text-anchor="{{if .End}}end{{else}}start{{end}}">{{.Name}}</text>
{{end}}{{range .YTicks}}<path class="tp-grid" d="M{{$.Left}} {{.At}}H{{$.Right}}"/><text x="{{sub $.Left 8}}" y="{{add .At 4}}" text-anchor="end">{{.Text}}</text>
{{end}}{{range .XTicks}}<path class="tp-grid" d="M{{.At}} {{$.Top}}V{{$.Bottom}}"/><text x="{{.At}}" y="{{add $.Bottom 18}}" text-anchor="middle">{{.Text}}</text>
{{end}}<path class="tp-axis" d="M{{.Left}} {{.Top}}V{{.Bottom}}H{{.Right}}"/>
<text x="{{.Middle}}" y="{{add .Bottom 38}}" text-anchor="middle">{{.XName}}</text>
<text transform="translate(16 {{.Centre}}) rotate(-90)" text-anchor="middle">{{.YName}}</text>
{{range .Lines}}<path class="tp-l{{.Style}}" d="{{.Path}}M{{.Legend.X}} {{sub .Legend.Y 4}}h26"/>{{range .Marks}}{{template "style" .}}{{end}}<text x="{{add .Legend.X 32}}" y="{{.Legend.Y}}">{{.Name}}</text>
{{end}}{{with .Ring}}<g class="tp-chosen" transform="translate({{.X}} {{.Y}})"><circle class="tp-ring" r="8"/>{{with $.MarkName}}<text class="tp-halo" x="{{if $.RingLeft}}-14{{else}}14{{end}}" y="{{if $.RingHigh}}-10{{else}}18{{end}}" text-anchor="{{if $.RingLeft}}end{{else}}start{{end}}">{{.}}</text>{{end}}</g>
{{end}}</svg>
{{end}}`
