package conformance

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// Options say which server is asked, and which cases.
type Options struct {
	Server   string // base URL, required; a path in it is where the API is mounted
	Prefix   string // path below Server under which the API is mounted
	Token    string // bearer token; empty sends none
	Insecure bool   // do not verify the server's certificate

	// Timeout is the longest wait for one answer; 0 is 25 seconds. How long a
	// watch may take stands in its case.
	Timeout time.Duration
	Jobs    int // cases to run at a time; below 1 is 1

	Cases  fs.FS // case files, AREA.yaml; nil is [Cases]
	Golden fs.FS // transcripts, AREA.json; nil is [Golden]

	Areas    []string // only these areas; empty is all
	Name     string   // only cases whose name contains this
	SkipTags []string // no cases with one of these tags

	// StrictMessages makes a case fail that differs in texts for people only.
	StrictMessages bool
	// Known are the cases that are expected to fail, and whose passing fails the run.
	Known Known

	// Observe, if set, is called with each result as its case ends, one call at a
	// time and in the order in which the cases end.
	Observe func(Result)
}

// partial says whether the options leave some cases out.
func (o Options) partial() bool { return len(o.Areas) > 0 || o.Name != "" || len(o.SkipTags) > 0 }

// load reads the case files and keeps the selected cases.
func (o Options) load() ([]Area, error) {
	source := o.Cases
	if source == nil {
		source = Cases()
	}
	areas, err := Load(source)
	if err != nil {
		return nil, err
	}
	if err := o.Known.check(areas); err != nil {
		return nil, err
	}
	var selected []Area
	for _, a := range areas {
		a.Cases = slices.DeleteFunc(slices.Clone(a.Cases), func(c *Case) bool { return !o.selects(a.Name, c) })
		if len(a.Cases) > 0 {
			selected = append(selected, a)
		}
	}
	if len(selected) == 0 {
		return nil, errors.New("no cases selected")
	}
	return selected, nil
}

func (o Options) selects(area string, c *Case) bool {
	return (len(o.Areas) == 0 || slices.Contains(o.Areas, area)) &&
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
