package annotations

import (
	"strconv"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/status"
)

const (
	versions = history.Group + "/versions" // apiextensions.VersionsAnnotation
	duration = history.Group + "/for"      // apiextensions.ForAnnotation
)

// maxVersions is the bound of Versions in [rest.History].
const maxVersions = 100

// OfHistory selects the annotations that declare a history.
func OfHistory(all map[string]string) map[string]string {
	var out map[string]string
	for _, name := range []string{versions, duration} {
		if value, ok := all[name]; ok {
			if out == nil {
				out = map[string]string{}
			}
			out[name] = value
		}
	}
	return out
}

// History returns the history that annotations declare, or nil if they declare none. One of the two
// is enough, and [rest.History] has the defaults.
func History(all map[string]string) (*rest.History, status.FieldErrors) {
	var h rest.History
	var faults status.FieldErrors
	declared, at := OfHistory(all), status.NewPath("metadata", "annotations")
	if len(declared) == 0 {
		return nil, nil
	}
	if text, ok := declared[versions]; ok {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxVersions {
			faults = append(faults,
				status.InvalidField(at.Key(versions), text, "must be a whole number between 1 and 100"))
		}
		h.Versions = n
	}
	if text, ok := declared[duration]; ok {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			faults = append(faults, status.InvalidField(at.Key(duration), text, "must be a positive duration such as 720h"))
		}
		h.For = d
	}
	return &h, faults
}
