package validate

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/decorum-go/decorum/status"
)

// Verdict says whether the API would accept the object of a manifest.
type Verdict string

// The verdicts.
const (
	// Valid means that the API accepts the object.
	Valid Verdict = "valid"
	// Invalid means that the API refuses the object.
	Invalid Verdict = "invalid"
	// Unknown means that nobody knows whether the object is valid: the API does not serve the kind, or a webhook converts
	// its objects.
	Unknown Verdict = "unknown"
	// Unreadable means that the document is no YAML and no JSON, or not an object.
	Unreadable Verdict = "unreadable"
)

// Severity says whether a finding makes an object invalid.
type Severity string

// The severities.
const (
	// Error is a finding for which the API refuses the object.
	Error Severity = "error"
	// Warning is a warning that the API sends to the client, and something that makes the verdict less certain.
	Warning Severity = "warning"
	// Note is a difference between the manifest and the object that the API stores.
	Note Severity = "note"
)

// Finding is one thing that the API says about an object.
type Finding struct {
	Severity Severity
	// Line is the line of the field in the file. If the manifest does not have the field, it is that of the innermost
	// field around the place that exists.
	Line int
	// Field is the path of the field, such as spec.containers[0].image. It is empty if the finding concerns the whole
	// object.
	Field string
	// Reason is the type of a cause, such as FieldValueInvalid, or the reason of the Status without one. It is empty where
	// the API states none.
	Reason string
	// Message is the text for people, without the field.
	Message string
}

// Result is the answer to one manifest: the verdict, and the findings behind it.
type Result struct {
	Manifest
	Verdict  Verdict
	Findings []Finding
	// Code is the code of the answer of the API, such as 201 or 422, and 0 if it was not asked.
	Code int
}

// refuse notes why the API does not accept the object.
func (r *Result) refuse(s *status.Status) {
	r.Verdict, r.Code = Invalid, int(s.Code)
	var causes []status.Cause
	if s.Details != nil {
		causes = s.Details.Causes
	}
	if len(causes) == 0 {
		causes = fromMessage(s)
	}
	for _, c := range causes {
		message, line := r.in.inFile(c.Message)
		field := strings.TrimPrefix(c.Field, ".")
		if field == "<nil>" {
			field = "" // how upstream names the object itself
		}
		if line == 0 {
			line = r.line(field)
		}
		r.Findings = append(r.Findings,
			Finding{Severity: Error, Line: line, Field: field, Reason: string(c.Type), Message: message})
	}
}

// line returns the line of a field of the object.
func (r *Result) line(field string) int {
	if isDefinition(&r.Manifest) {
		field = ofVersions.ReplaceAllString(field, "spec.versions[0].$1")
		field = strings.Replace(field, "spec.versions[0].validation", "spec.versions[0].schema", 1)
	}
	return r.LineOf(field)
}

var (
	// ofVersions is how a Status names a part that all versions of a definition have in common.
	ofVersions = regexp.MustCompile(`^spec\.(validation|subresources|additionalPrinterColumns|selectableFields)\b`)
	// strict is how a Status lists fields that the kind does not have, and fields that are sent twice.
	strict = regexp.MustCompile(`(?:unknown|duplicate) field "([^"]+)"`)
	// mistyped is how encoding/json names a field that has the wrong type.
	mistyped = regexp.MustCompile(`into Go struct field (\w+)\.(\S+) of type`)
)

// fromMessage finds the causes in the message of a Status that lists none.
func fromMessage(s *status.Status) (causes []status.Cause) {
	if _, list, found := strings.Cut(s.Message, "strict decoding error: "); found {
		for _, match := range strict.FindAllStringSubmatch(list, -1) {
			causes = append(causes, status.Cause{Type: status.CauseType(s.Reason), Field: match[1], Message: match[0]})
		}
	}
	if len(causes) > 0 {
		return causes
	}
	cause := status.Cause{Type: status.CauseType(s.Reason), Message: s.Message}
	if match := mistyped.FindStringSubmatch(s.Message); match != nil {
		if cause.Field = match[2]; match[1] == "ObjectMeta" && !strings.HasPrefix(cause.Field, "metadata.") {
			cause.Field = "metadata." + cause.Field
		}
	}
	return []status.Cause{cause}
}

// Counts are the numbers of results by verdict.
type Counts struct {
	Valid      int `json:"valid"`
	Invalid    int `json:"invalid"`
	Unknown    int `json:"unknown"`
	Unreadable int `json:"unreadable"`
}

// Count counts results by verdict, for a summary.
func Count(results []Result) (c Counts) {
	for _, r := range results {
		switch r.Verdict {
		case Valid:
			c.Valid++
		case Invalid:
			c.Invalid++
		case Unknown:
			c.Unknown++
		case Unreadable:
			c.Unreadable++
		}
	}
	return c
}

// String returns the counts as in "3 valid, 1 invalid, 0 unknown, 0 unreadable".
func (c Counts) String() string {
	return fmt.Sprintf("%d valid, %d invalid, %d unknown, %d unreadable", c.Valid, c.Invalid, c.Unknown, c.Unreadable)
}
