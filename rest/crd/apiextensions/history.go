package apiextensions

import (
	"maps"

	"github.com/decorum-go/decorum/rest/crd/internal/annotations"
	"github.com/decorum-go/decorum/rest/history"
)

// The annotations with which a definition asks the server to keep former versions of its objects ([rest.History]). They
// are an extension: Kubernetes ignores them, and so does a server whose host does not permit them.
const (
	// VersionsAnnotation says how many former versions the server keeps of the objects with one name: 1 to 100.
	VersionsAnnotation = history.Group + "/versions"
	// ForAnnotation says how long the server keeps a version, as a duration of Go such as "720h".
	ForAnnotation = history.Group + "/for"
)

// history checks the annotations of a history. An update may leave them as they are: they may be older than the
// permission of the host.
func (c *checker) history(d, old *CustomResourceDefinition) {
	if !c.checks.History ||
		old != nil && maps.Equal(annotations.OfHistory(d.Annotations), annotations.OfHistory(old.Annotations)) {
		return
	}
	_, faults := annotations.History(d.Annotations)
	for _, fault := range faults {
		c.fail(fault)
	}
}
