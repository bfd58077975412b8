package conformance

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Area is one case file: the cases about one part of the protocol.
type Area struct {
	Name  string // the file's name without .yaml
	Cases []*Case

	vars map[string]string
}

// Case pins one rule of the protocol: requests, and the answers that the rule requires.
type Case struct {
	Name  string
	Doc   string   // the rule
	Level Level    // the level of the API that the rule belongs to; empty in files that state none
	Tags  []string // README.md lists them
	Rules []string // the rules of README.md that the case depends on

	managedFields bool // compare metadata.managedFields instead of dropping it
	given         []map[string]any
	steps         []*step
	paths         []string // what the steps ask for, with the variables of the file replaced
	text          string   // the whole text of the case, to tell its literals from a server's values
}

// Steps returns the number of steps of the case.
func (c *Case) Steps() int { return len(c.steps) }

// caseFile is the form of a case file.
type caseFile struct {
	Area    string            `yaml:"area"`
	Doc     string            `yaml:"doc"`
	Level   Level             `yaml:"level"` // the level of cases that state none
	Vars    map[string]string `yaml:"vars"`
	Anchors yaml.Node         `yaml:"anchors"` // a place for values that aliases repeat
	Cases   []struct {
		Name          string      `yaml:"name"`
		Doc           string      `yaml:"doc"`
		Level         Level       `yaml:"level"`
		Tags          texts       `yaml:"tags"`
		Rules         texts       `yaml:"rules"`
		ManagedFields bool        `yaml:"managedFields"`
		Given         []yaml.Node `yaml:"given"`
		Steps         []*step     `yaml:"steps"`
	} `yaml:"cases"`
}

// Load reads all case files of a folder, in the order of their names. An error
// names the file and the case.
func Load(dir fs.FS) ([]Area, error) {
	names, err := fs.Glob(dir, "*.yaml")
	if err != nil {
		return nil, err
	}
	var areas []Area
	for _, name := range names {
		b, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		a, err := parseArea(strings.TrimSuffix(path.Base(name), ".yaml"), b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		areas = append(areas, a)
	}
	if len(areas) == 0 {
		return nil, errors.New("no case files")
	}
	return areas, nil
}

// parseArea reads one case file twice: into caseFile, which checks keys and types,
// and as plain values, for the text of each case.
func parseArea(name string, b []byte) (Area, error) {
	var form caseFile
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&form); err != nil {
		return Area{}, err
	}
	plain, err := decodeYAML(b)
	if err != nil {
		return Area{}, err
	}
	if form.Area != "" && form.Area != name {
		return Area{}, fmt.Errorf("area %s in a file of another name", form.Area)
	}
	area := Area{Name: name, vars: form.Vars}
	seen := map[string]bool{}
	for i, f := range form.Cases {
		c := &Case{
			Name: f.Name, Doc: strings.TrimSpace(f.Doc), Level: cmp.Or(f.Level, form.Level), Tags: f.Tags, Rules: f.Rules,
			managedFields: f.ManagedFields, steps: f.Steps,
		}
		said, _ := lookup(plain, fmt.Sprintf("cases[%d]", i))
		if m, ok := said.(map[string]any); ok {
			delete(m, "rules") // their names are words that answers contain, too
		}
		c.text = jsonText(said)
		if err := c.finish(f.Given); err != nil {
			return Area{}, fmt.Errorf("case %d (%s): %w", i+1, f.Name, err)
		}
		for _, s := range c.steps {
			c.paths = append(c.paths, area.readable(s.Path))
		}
		if seen[c.Name] {
			return Area{}, fmt.Errorf("two cases named %s", c.Name)
		}
		seen[c.Name] = true
		area.Cases = append(area.Cases, c)
	}
	return area, nil
}

func (c *Case) finish(given []yaml.Node) error {
	switch {
	case c.Name == "":
		return errors.New("no name")
	case c.Doc == "":
		return errors.New("no doc")
	case len(c.steps) == 0:
		return errors.New("no steps")
	}
	if c.Level != "" {
		if _, err := ParseLevel(string(c.Level)); err != nil {
			return err
		}
	}
	for i := range given {
		object, err := shortForm(&given[i])
		if err != nil {
			return fmt.Errorf("given %d: %w", i+1, err)
		}
		c.given = append(c.given, object)
	}
	for i, s := range c.steps {
		if s == nil {
			return fmt.Errorf("step %d: empty", i+1)
		}
		if err := s.finish(); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

// shortForm reads an object in the short form and checks that it can be expanded.
func shortForm(n *yaml.Node) (map[string]any, error) {
	v, err := exactValue(n)
	if err != nil {
		return nil, err
	}
	short, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("an object is a mapping")
	}
	_, err = kindOf(short)
	return short, err
}

// Methods returns the methods of the requests whose answers the case compares, one for
// each step that sends one. A hidden step only prepares those after it.
func (c *Case) Methods() []string {
	var methods []string
	for _, s := range c.steps {
		if s.Method != "" && !s.Hidden {
			methods = append(methods, s.Method)
		}
	}
	return methods
}

// Watches reports whether the case reads a watch.
func (c *Case) Watches() bool {
	return slices.ContainsFunc(c.steps, func(s *step) bool { return s.Watch != nil })
}
