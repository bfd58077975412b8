package conformance

import (
	"fmt"
	"slices"
	"strings"
)

// Level is a part of the API that a server can claim to serve. The levels build on
// each other: a claim of one includes those before it in [Levels].
type Level string

// The levels, in their order.
const (
	LevelRead        Level = "read"        // get, list, select, tables, media types, discovery, errors
	LevelWrite       Level = "write"       // create, update, patch, delete, dry run, validation, subresources
	LevelWatch       Level = "watch"       // watches
	LevelApply       Level = "apply"       // server-side apply and managedFields
	LevelDefinitions Level = "definitions" // CustomResourceDefinitions and their kinds
)

// Levels returns all levels in order, beginning with the weakest claim.
func Levels() []Level {
	return []Level{LevelRead, LevelWrite, LevelWatch, LevelApply, LevelDefinitions}
}

// ParseLevel returns the level of that name, or an error that lists the names.
func ParseLevel(name string) (Level, error) {
	if level := Level(name); slices.Contains(Levels(), level) {
		return level, nil
	}
	var names []string
	for _, level := range Levels() {
		names = append(names, string(level))
	}
	return "", fmt.Errorf("unknown level %q; the levels are %s", name, strings.Join(names, ", "))
}

// includes reports whether a claim of the level covers cases of the other one.
func (l Level) includes(other Level) bool {
	levels := Levels()
	return slices.Index(levels, other) <= slices.Index(levels, l)
}

// Claim returns the highest level that the run supports: every case of it and of the
// levels before it ran, and none failed beyond the list of known failures. It is
// empty if there is none, and for a run with custom case files that state no levels.
func (r Report) Claim() Level {
	var claim Level
	for _, c := range r.ByLevel() {
		if c.Cases == 0 || c.Cases < r.available[Level(c.Area)] || c.Failed > 0 {
			break
		}
		claim = Level(c.Area)
	}
	return claim
}

// ByLevel counts the cases of each level, in the order of the levels. The name of the
// level is in Area.
func (r Report) ByLevel() []Counts {
	var levels []Counts
	for _, level := range Levels() {
		c := Counts{Area: string(level)}
		for _, x := range r.Results {
			if x.Level == level {
				c.add(x)
			}
		}
		levels = append(levels, c)
	}
	return levels
}
