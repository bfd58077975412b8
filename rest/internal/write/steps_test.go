package write_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/usage"
	"github.com/decorum-go/decorum/rest/internal/write"
)

var update = flag.Bool("update", false, "write the table of steps into the docs")

// values is a set of values of an attempt, and operations one of kinds of write, see steps.go.
type (
	values     int
	operations int
)

// step is a row of a list in steps.go.
type step struct {
	name, about, method, file string
	on                        operations
	reads, sets               values
}

// source is what the source of the package says about the steps of a write.
type source struct {
	body, main, stored []step
	methods            map[string]*usage.Method
	constants          map[string]int
}

func sourceOf(t *testing.T) source {
	s := source{methods: usage.Of(t, "Write"), constants: usage.Constants(t)}
	for name, rows := range usage.Tables(t, "steps.go", "declaredStep") {
		var list []step
		for _, row := range rows {
			require.Len(t, row.Texts, 2)
			require.Len(t, row.Sets, 3)
			code := s.methods[row.Method]
			require.NotNil(t, code, "step %q has no method", row.Texts[0])
			list = append(list, step{name: row.Texts[0], about: row.Texts[1], method: row.Method, file: code.File,
				on: operations(row.Sets[0]), reads: values(row.Sets[1]), sets: values(row.Sets[2])})
		}
		switch name {
		case "body":
			s.body = list
		case "main":
			s.main = list
		case "stored":
			s.stored = list
		default:
			require.Fail(t, "steps.go has a list "+name)
		}
	}
	var names []string
	for _, step := range s.all() {
		names = append(names, step.name)
	}
	require.Equal(t, write.StepNames, names)
	for _, constant := range valueNames {
		require.Contains(t, s.constants, constant)
	}
	require.NotEmpty(t, s.stored)
	return s
}

// all returns the steps of a body and then those against the stored object.
func (s source) all() []step { return slices.Concat(s.body, s.main) }

// value returns the set of the sum of constants.
func (s source) value(constants ...string) (v values) {
	for _, name := range constants {
		v |= values(s.constants[name])
	}
	return v
}

// The docs show the steps of a write in their order.
func TestStepsAreInTheDocs(t *testing.T) {
	const page = "../../../docs/design-of-rest.md"
	var table strings.Builder
	table.WriteString("| step | file | body | create | update | delete | stored version | what it does |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	mark := map[bool]string{true: " x |", false: " |"}
	source := sourceOf(t)
	for i, s := range source.all() {
		ofBody := i < len(source.body)
		fmt.Fprintf(&table, "| %s | %s |%s", s.name, s.file, mark[ofBody])
		for _, on := range []string{"onCreate", "onUpdate", "onDelete"} {
			table.WriteString(mark[!ofBody && s.on&operations(source.constants[on]) != 0])
		}
		repeated := slices.ContainsFunc(source.stored, func(stored step) bool { return stored.name == s.name })
		fmt.Fprintf(&table, "%s %s |\n", mark[repeated], s.about)
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	head, _, _ := strings.Cut(table.String(), "\n")
	before, rest, found := strings.Cut(string(text), head+"\n")
	require.True(t, found, "%s has no table that begins with %s", page, head)
	shown, after, _ := strings.Cut(head+"\n"+rest, "\n\n")
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(before+table.String()+"\n"+after), 0o644))
		return
	}
	assert.Equal(t, table.String(), shown+"\n", "%s is out of date: go test -run %s ./rest/internal/write -update", page,
		t.Name())
}

// A page that tells what happens at some steps names them in the order of the table.
func TestDocsNameStepsInOrder(t *testing.T) {
	item := regexp.MustCompile("(?m)^(?:[0-9]+\\.|-) `([a-z ]+)`:")
	for _, page := range []string{"admission.md", "deletion.md"} {
		text, err := os.ReadFile(filepath.Join("../../../docs", page))
		require.NoError(t, err)
		steps := sourceOf(t).all()
		named := item.FindAllStringSubmatch(string(text), -1)
		require.NotEmpty(t, named, "%s names no step", page)
		for _, name := range named {
			at := slices.IndexFunc(steps, func(s step) bool { return s.name == name[1] })
			require.GreaterOrEqual(t, at, 0, "%s names %q, which is no step or comes before the one named earlier", page,
				name[1])
			steps = steps[at+1:]
		}
	}
}

// A method is called like its step.
func TestStepsAreCalledLikeTheirMethods(t *testing.T) {
	for _, s := range sourceOf(t).all() {
		words := strings.Fields(s.name)
		for i, word := range words[1:] {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
		assert.Equal(t, strings.Join(words, ""), s.method)
	}
}

// Whatever the operation, no step reads a part of the attempt before another step has set it.
func TestStepsReadWhatIsSet(t *testing.T) {
	source := sourceOf(t)
	check := func(name string, list []step, on string, set, has values) {
		for _, s := range list {
			if s.on&operations(source.constants[on]) == 0 {
				continue
			}
			if unset := s.reads & has &^ set; unset != 0 {
				t.Errorf("%s: step %q reads %q before a step has set it", name, s.name, source.selectors(unset))
			}
			set |= s.sets
		}
	}
	const all = ^values(0)
	value := source.value
	unlessAsked := value("translated", "review") // false and nil unless a step sets them
	// A create has these from the start, because an object that does not exist is absent.
	ofCreate := value("record", "formsBefore")
	ofDeletion := value("record", "storedBefore", "storedAfter", "encoded") // all that a deletion has
	// The steps in the stored version begin with these.
	ofStored := value("record", "formsBefore", "now", "sent", "shownAfter", "translated")
	check("body", source.body, "onWrite", value("now")|unlessAsked, all)
	check("create", source.main, "onCreate", ofCreate|unlessAsked, all)
	check("update", source.main, "onUpdate", value("record")|unlessAsked, all)
	check("delete", source.main, "onDelete", value("record"), ofDeletion)
	check("stored version", source.stored, "onWrite", ofStored, all)
}

// valueNames are the constants of values in steps.go by their selectors below an attempt.
var valueNames = map[string]string{
	"before.record": "record", "before.shown": "shownBefore", "before.json": "shownBefore",
	"before.stored": "storedBefore",
	"before.forms":  "formsBefore",
	"before.view":   "view", "draft.now": "now", "draft.wanted": "wanted", "draft.typed": "typed",
	"draft.defaulted":  "inDefaults",
	"draft.translated": "translated", "draft.nameGenerated": "nameGenerated", "draft.versioned": "versioned",
	"draft.owners": "owners",
	"draft.sent":   "sent", "draft.asked": "asked", "draft.base": "base", "after.shown": "shownAfter", "after.stored": "storedAfter",
	"after.forms": "formsAfter",
	"after.json":  "encoded", "after.response": "response",
}

// selectors names values for an error.
func (s source) selectors(of values) (names []string) {
	for name, constant := range valueNames {
		if part := s.value(constant); part&(part-1) == 0 && of&part != 0 { // a single form, not a pair
			names = append(names, name)
		}
	}
	if of&s.value("review") != 0 {
		names = append(names, "review")
	}
	slices.Sort(names)
	return names
}

// A step says all that its code reads and sets. It may read what it sets itself.
func TestStepsSayWhatTheyUse(t *testing.T) {
	source := sourceOf(t)
	for _, s := range source.all() {
		var reads, sets values
		usage.EachCalled(source.methods, s.method, func(m *usage.Method) {
			for _, name := range m.Reads {
				reads |= source.value(valueNames[name])
			}
			for _, name := range slices.Concat(m.Sets, m.Lends) {
				sets |= source.value(valueNames[name])
			}
		})
		reads, sets = reads&^(s.reads|s.sets), sets&^s.sets
		assert.Zero(t, reads, "the row of %s does not say that it reads %q", s.method, source.selectors(reads))
		assert.Zero(t, sets, "the row of %s does not say that it sets %q", s.method, source.selectors(sets))
	}
}
