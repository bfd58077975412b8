package apiextensions

import (
	"maps"
	"strconv"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/status"
)

// The annotations with which a definition asks the server to keep former versions of its objects ([rest.History]). They
// are an extension: Kubernetes ignores them, and so does a server whose host does not permit them.
const (
	// VersionsAnnotation says how many former versions the server keeps of the objects with one name: 1 to 100.
	VersionsAnnotation = history.Group + "/versions"
	// ForAnnotation says how long the server keeps a version, as a duration of Go such as "720h".
	ForAnnotation = history.Group + "/for"
)

// maxVersions is the bound of Versions in [rest.History].
const maxVersions = 100

// HistoryAnnotations returns those of the annotations that declare a history.
func HistoryAnnotations(all map[string]string) map[string]string {
	var out map[string]string
	for _, name := range []string{VersionsAnnotation, ForAnnotation} {
		if value, ok := all[name]; ok {
			if out == nil {
				out = map[string]string{}
			}
			out[name] = value
		}
	}
	return out
}

// HistoryOf returns the history that annotations declare, or nil if they declare none. One of both is enough; the
// defaults are those of [rest.History].
func HistoryOf(annotations map[string]string) (*rest.History, status.FieldErrors) {
	var h rest.History
	var faults status.FieldErrors
	declared, at := HistoryAnnotations(annotations), status.NewPath("metadata", "annotations")
	if len(declared) == 0 {
		return nil, nil
	}
	if text, ok := declared[VersionsAnnotation]; ok {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxVersions {
			faults = append(faults,
				status.InvalidField(at.Key(VersionsAnnotation), text, "must be a whole number between 1 and 100"))
		}
		h.Versions = n
	}
	if text, ok := declared[ForAnnotation]; ok {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			faults = append(faults, status.InvalidField(at.Key(ForAnnotation), text, "must be a positive duration such as 720h"))
		}
		h.For = d
	}
	return &h, faults
}

// history checks the annotations of a history. An update may leave them as they are: they may be older than the
// permission of the host.
func (c *checker) history(d, old *CustomResourceDefinition) {
	if !c.checks.History ||
		old != nil && maps.Equal(HistoryAnnotations(d.Annotations), HistoryAnnotations(old.Annotations)) {
		return
	}
	_, faults := HistoryOf(d.Annotations)
	for _, fault := range faults {
		c.fail(fault)
	}
}
