package conformance

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// Options select the server and the cases of [Run] and [Record].
type Options struct {
	Server   string // base URL, required; a path in it is the mount point of the API
	Prefix   string // path below Server under which the API is mounted
	Token    string // bearer token; empty sends none
	Insecure bool   // do not verify the server's certificate

	// Authorities are the certificates, in PEM, of those who may sign the server's
	// certificate; empty means the system's. Certificate and Key, in PEM, identify the
	// client; both may be empty.
	Authorities, Certificate, Key []byte

	// Timeout is the longest wait for one answer; 0 means 25 seconds. The case of a
	// watch says how long the watch may take.
	Timeout time.Duration
	Jobs    int // cases to run at a time; below 1 means 1

	Cases  fs.FS // case files, AREA.yaml; nil means [Cases]
	Golden fs.FS // transcripts, AREA.json; nil means [Golden]

	Level    Level    // selects cases of this level and of those before it; empty means all
	Areas    []string // selects areas; empty means all
	Name     string   // selects cases whose name contains this
	SkipTags []string // no cases with one of these tags

	// SkipMissing leaves out the cases that need a kind which the server does not serve.
	// Without it Run returns a [MissingKindsError] before it changes anything.
	SkipMissing bool
	// Keep leaves the objects and namespaces of the cases on the server.
	Keep bool

	// StrictMessages fails a case that differs only in texts for people.
	StrictMessages bool
	// Known are the cases that are expected to fail. The run fails if one of them
	// passes.
	Known Known

	// Observe, if set, is called with each result as its case ends, one call at a
	// time and in the order in which the cases end.
	Observe func(Result)
}

// partial reports whether the options leave out some cases.
func (o Options) partial() bool {
	return len(o.Areas) > 0 || o.Name != "" || len(o.SkipTags) > 0 || o.Level != ""
}

// load reads the case files and keeps the selected cases. It also counts the cases of
// each level before the selection.
func (o Options) load() ([]Area, map[Level]int, error) {
	source := o.Cases
	if source == nil {
		source = Cases()
	}
	areas, err := Load(source)
	if err != nil {
		return nil, nil, err
	}
	available := map[Level]int{}
	for _, a := range areas {
		for _, c := range a.Cases {
			available[c.Level]++
		}
	}
	if err := o.Known.check(areas); err != nil {
		return nil, nil, err
	}
	var selected []Area
	for _, a := range areas {
		a.Cases = slices.DeleteFunc(slices.Clone(a.Cases), func(c *Case) bool { return !o.selects(a.Name, c) })
		if len(a.Cases) > 0 {
			selected = append(selected, a)
		}
	}
	if len(selected) == 0 {
		return nil, nil, errors.New("no cases selected")
	}
	return selected, available, nil
}

func (o Options) selects(area string, c *Case) bool {
	return (o.Level == "" || o.Level.includes(c.Level)) &&
		(len(o.Areas) == 0 || slices.Contains(o.Areas, area)) &&
		strings.Contains(c.Name, o.Name) &&
		!slices.ContainsFunc(c.Tags, func(tag string) bool { return slices.Contains(o.SkipTags, tag) })
}

func (o Options) golden(area string) (golden, error) {
	source := o.Golden
	if source == nil {
		source = Golden()
	}
	return loadGolden(source, area)
}
