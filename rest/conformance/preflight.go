package conformance

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// MissingKindsError says which kinds the selected cases need and the server does not
// serve.
type MissingKindsError struct {
	Missing []MissingKind
}

// MissingKind is a kind that the server does not serve as the suite needs it.
type MissingKind struct {
	Kind, APIVersion, Resource string
	Path                       string // the collection that was asked for
	Status                     int    // the status of the answer
	Cases                      int    // how many of the selected cases need the kind
}

// Error lists the missing kinds, and how many cases need each of them.
func (e *MissingKindsError) Error() string {
	var b strings.Builder
	b.WriteString("the server does not serve all kinds that the selected cases need:\n")
	for _, m := range e.Missing {
		fmt.Fprintf(&b, "  %s (%s %s), for %d cases: GET %s answers %d\n", m.Kind, m.APIVersion, m.Resource, m.Cases, m.Path,
			m.Status)
	}
	b.WriteString("README.md of the suite describes the kinds; SkipMissing (--skip-missing) leaves out the cases that need them")
	return b.String()
}

// serves asks for the collection of each kind that the areas need. It returns the
// areas without the cases that cannot run, or a [MissingKindsError], and how many
// cases it has left out.
func (c *client) serves(ctx context.Context, areas []Area, skip bool) ([]Area, int, error) {
	missing := map[string]bool{}
	var failure MissingKindsError
	for _, k := range kinds() {
		cases := 0
		for i := range areas {
			for _, test := range areas[i].Cases {
				if test.needs(k) {
					cases++
				}
			}
		}
		if cases == 0 || strings.Contains(k.root, "${") {
			continue
		}
		path := k.root + "/" + k.resource + "?limit=1"
		status, _, err := c.ask(ctx, request{method: http.MethodGet, path: path})
		if err != nil {
			return nil, 0, err
		}
		if status != http.StatusOK {
			missing[k.short] = true
			failure.Missing = append(failure.Missing, MissingKind{k.name, k.apiVersion, k.resource, path, status, cases})
		}
	}
	if len(missing) == 0 {
		return areas, 0, nil
	}
	if !skip {
		return nil, 0, &failure
	}
	lacks := func(test *Case) bool {
		return slices.ContainsFunc(kinds(), func(k kind) bool { return missing[k.short] && test.needs(k) })
	}
	left := 0
	var rest []Area
	for _, a := range areas {
		before := len(a.Cases)
		a.Cases = slices.DeleteFunc(slices.Clone(a.Cases), lacks)
		left += before - len(a.Cases)
		if len(a.Cases) > 0 {
			rest = append(rest, a)
		}
	}
	if len(rest) == 0 {
		return nil, 0, &failure
	}
	return rest, left, nil
}

// needs reports whether the case creates or asks for objects of the kind.
func (c *Case) needs(k kind) bool {
	given := slices.ContainsFunc(c.given, func(short map[string]any) bool { _, ok := short[k.short]; return ok })
	return given || slices.ContainsFunc(c.paths, func(path string) bool {
		return strings.HasPrefix(path, k.root+"/") && resourceOf(path) == k.resource
	})
}
