package validate

import (
	"encoding/json"
	"io"
)

// jsonReport is the form of WriteJSON. Its names are a contract with the programs that read it.
type jsonReport struct {
	Results []jsonResult `json:"results"`
	Summary Counts       `json:"summary"`
}

type jsonResult struct {
	File       string        `json:"file"`
	Line       int           `json:"line"`
	Source     string        `json:"source,omitempty"`
	APIVersion string        `json:"apiVersion,omitempty"`
	Kind       string        `json:"kind,omitempty"`
	Namespace  string        `json:"namespace,omitempty"`
	Name       string        `json:"name,omitempty"`
	Verdict    Verdict       `json:"verdict"`
	Code       int           `json:"code,omitempty"`
	Findings   []jsonFinding `json:"findings,omitempty"`
}

type jsonFinding struct {
	Severity Severity `json:"severity"`
	Line     int      `json:"line"`
	Field    string   `json:"field,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Message  string   `json:"message"`
}

// WriteJSON writes all results, the valid ones too, as one JSON object with the members results and summary.
func WriteJSON(w io.Writer, results []Result) error {
	report := jsonReport{Results: make([]jsonResult, len(results)), Summary: Count(results)}
	for i, r := range results {
		one := jsonResult{File: r.File, Line: r.Line, Source: r.Source, Kind: r.Kind.Kind, Namespace: r.Namespace,
			Name: r.Name, Verdict: r.Verdict, Code: r.Code}
		if r.Kind.Version != "" {
			one.APIVersion = r.Kind.GroupVersion().String()
		}
		for _, f := range r.Findings {
			one.Findings = append(one.Findings, jsonFinding(f))
		}
		report.Results[i] = one
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}
