package picture

// chartSVG is the drawing of a chart. Colours follow the reader's light or
// dark setting; each pair of text and ground has a contrast above 4.5:1.
const chartSVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {{.Width}} {{.Height}}" role="img" aria-labelledby="chart-title chart-desc" font-family="system-ui, sans-serif" font-size="13">
<title id="chart-title">{{.Title}}</title>
<desc id="chart-desc">{{.Description}}</desc>
<style>
.ground{fill:#fff}.ink{fill:#1a1a1a}.axis{stroke:#555;fill:none}.grid{stroke:#ddd}
.s0{stroke:#1b4f9c;fill:none;stroke-width:2}.s1{stroke:#8a4b08;fill:none;stroke-width:2;stroke-dasharray:7 4}
.s2{stroke:#1d6b3a;fill:none;stroke-width:2;stroke-dasharray:2 3}.s3{stroke:#7a1f5c;fill:none;stroke-width:2;stroke-dasharray:10 3 2 3}
.m0{fill:#1b4f9c}.m1{fill:#8a4b08}.m2{fill:#1d6b3a}.m3{fill:#7a1f5c}
@media (prefers-color-scheme: dark){.ground{fill:#161616}.ink{fill:#eee}.axis{stroke:#aaa}.grid{stroke:#383838}
.s0{stroke:#8ab4f8}.s1{stroke:#f2b06b}.s2{stroke:#81c995}.s3{stroke:#e6a1d0}.m0{fill:#8ab4f8}.m1{fill:#f2b06b}.m2{fill:#81c995}.m3{fill:#e6a1d0}}
</style>
<rect class="ground" width="100%" height="100%"/>
<text class="ink" x="{{.Left}}" y="24" font-size="16" font-weight="600">{{.Head}}</text>
{{range .YTicks}}<line class="grid" x1="{{$.Left}}" x2="{{$.Right}}" y1="{{.At}}" y2="{{.At}}"/><text class="ink" x="{{sub $.Left 8}}" y="{{add .At 4}}" text-anchor="end">{{.Text}}</text>
{{end}}{{range .XTicks}}<line class="grid" x1="{{.At}}" x2="{{.At}}" y1="{{$.Top}}" y2="{{$.Bottom}}"/><text class="ink" x="{{.At}}" y="{{add $.Bottom 18}}" text-anchor="middle">{{.Text}}</text>
{{end}}<path class="axis" d="M{{.Left}} {{.Top}}V{{.Bottom}}H{{.Right}}"/>
<text class="ink" x="{{add .Left 300}}" y="{{add .Bottom 40}}" text-anchor="middle">{{.X}}</text>
<text class="ink" transform="translate(18 {{add .Top 156}}) rotate(-90)" text-anchor="middle">{{.Y}}</text>
{{range .Lines}}<path class="s{{.Style}}" d="{{.Path}}"/>{{template "marks" .}}
<g><path class="s{{.Style}}" d="M{{.Legend.X}} {{sub .Legend.Y 4}}h26"/>{{template "swatch" .}}<text class="ink" x="{{add .Legend.X 32}}" y="{{.Legend.Y}}">{{.Name}}</text></g>
{{end}}{{with .Ring}}<circle cx="{{.X}}" cy="{{.Y}}" r="8" fill="none" class="axis" stroke-width="2.5"/>{{if $.RingLeft}}<text class="ink" x="{{sub .X 14}}" y="{{add .Y -10}}" text-anchor="end">{{$.MarkName}}</text>{{else}}<text class="ink" x="{{add .X 14}}" y="{{add .Y 18}}">{{$.MarkName}}</text>{{end}}
{{end}}</svg>
{{define "marks"}}{{$s := .Style}}{{range .Marks}}{{template "mark" (at $s .)}}{{end}}{{end}}
{{define "swatch"}}{{$s := .Style}}{{range .Swatch}}{{template "mark" (at $s .)}}{{end}}{{end}}
{{define "mark"}}{{$s := .Style}}{{if eq $s 0}}<circle class="m0" cx="{{.X}}" cy="{{.Y}}" r="3.2"/>{{else if eq $s 1}}<rect class="m1" x="{{sub .X 3}}" y="{{sub .Y 3}}" width="6" height="6"/>{{else if eq $s 2}}<path class="m2" d="M{{.X}} {{sub .Y 4}}l4 7h-8z"/>{{else}}<path class="m3" d="M{{.X}} {{sub .Y 4}}l4 4l-4 4l-4 -4z"/>{{end}}{{end}}`
