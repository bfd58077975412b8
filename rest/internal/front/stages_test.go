package front_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/usage"
)

var updateStages = flag.Bool("update-stages", false, "write the table of stages into the docs")

// values is a set of parts of a request, see stages.go.
type values int

// describedValues are the parts of a request in their order: the constant in stages.go, the word that the docs use, and
// the fields.
var describedValues = []struct {
	constant, word string
	fields         []string
}{
	{"received", "request", []string{"r"}},
	{"writer", "answer", []string{"w"}},
	{"found", "path", []string{"serving", "res", "at", "through", "chooser"}},
	{"auditID", "audit ID", []string{"auditID"}},
	{"watched", "observers", []string{"observed"}},
	{"admitted", "admission", []string{"entered", "admitted"}},
	{"sender", "user", []string{"identity", "sender", "needs", "secret", "requester"}},
	{"parameters", "query", []string{"query"}},
	{"seats", "place", []string{"flight"}},
	{"granted", "rights", []string{"only", "since", "resume", "requester"}},
	{"chosen", "handler", []string{"handle"}},
	{"failure", "error", []string{"refused"}},
	{"over", "end", []string{"done"}},
}

// source describes the stages of a request according to the source of room front.
type source struct {
	stages    []stage
	methods   map[string]*usage.Method
	constants map[string]int
}

// stage is a row of the list in stages.go.
type stage struct {
	name, about, method, file string
	reads, sets               values
}

func sourceOf(t *testing.T) source {
	s := source{methods: usage.Of(t, "request", "asked", "requester", "answer"), constants: usage.Constants(t)}
	for _, row := range usage.Tables(t, "stages.go", "stage")[""] {
		require.Len(t, row.Texts, 2)
		require.Len(t, row.Sets, 2)
		code := s.methods[row.Method]
		require.NotNil(t, code, "stage %q has no method", row.Texts[0])
		s.stages = append(s.stages, stage{name: row.Texts[0], about: row.Texts[1], method: row.Method, file: code.File,
			reads: values(row.Sets[0]), sets: values(row.Sets[1])})
	}
	for _, d := range describedValues {
		require.Contains(t, s.constants, d.constant)
	}
	require.NotEmpty(t, s.stages)
	return s
}

// value returns the set that a constant stands for.
func (s source) value(constant string) values { return values(s.constants[constant]) }

// words names values.
func (s source) words(v values) string {
	if v == s.value("everything") {
		return "everything"
	}
	var words []string
	for _, d := range describedValues {
		if v&s.value(d.constant) != 0 {
			words = append(words, d.word)
		}
	}
	return strings.Join(words, ", ")
}

// valuesOf returns the values that have these fields.
func (s source) valuesOf(fields []string) (all values) {
	for _, d := range describedValues {
		if slices.ContainsFunc(fields, func(field string) bool { return slices.Contains(d.fields, field) }) {
			all |= s.value(d.constant)
		}
	}
	return all
}

// The docs show the stages of a request in their order.
func TestStagesAreInTheDocs(t *testing.T) {
	const page = "../../../docs/design-of-rest.md"
	var table strings.Builder
	table.WriteString("| stage | file | reads | sets | what it does |\n| --- | --- | --- | --- | --- |\n")
	source := sourceOf(t)
	for _, s := range source.stages {
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", s.name, s.file, source.words(s.reads), source.words(s.sets),
			s.about)
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	head, _, _ := strings.Cut(table.String(), "\n")
	before, rest, known := strings.Cut(string(text), head+"\n")
	require.True(t, known, "%s has no table that begins with %s", page, head)
	shown, after, _ := strings.Cut(head+"\n"+rest, "\n\n")
	if *updateStages {
		require.NoError(t, os.WriteFile(page, []byte(before+table.String()+"\n"+after), 0o644))
		return
	}
	assert.Equal(t, table.String(), shown+"\n", "%s is out of date: go test -run %s ./rest/internal/front -update-stages", page, t.Name())
}

// A method is called like its stage.
func TestStagesAreCalledLikeTheirMethods(t *testing.T) {
	for _, s := range sourceOf(t).stages {
		words := strings.Fields(s.name)
		for i, word := range words[1:] {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
		assert.Equal(t, strings.Join(words, ""), s.method)
	}
}

// No stage reads a value before another one has set it. Of a request that a stage has refused, the later ones read only
// what may be missing.
func TestStagesReadWhatIsSet(t *testing.T) {
	source := sourceOf(t)
	var set values // what is nil or empty unless a stage sets it
	for _, constant := range []string{"received", "writer", "watched", "parameters", "sender", "failure", "over"} {
		set |= source.value(constant)
	}
	for _, s := range source.stages {
		set |= s.sets
		if unset := s.reads &^ set; unset != 0 {
			t.Errorf("stage %q reads %s before a stage has set it", s.name, source.words(unset))
		}
	}
}

// A stage says all that its code reads and sets. The handler, which act calls, may use everything.
func TestStagesSayWhatTheyUse(t *testing.T) {
	source := sourceOf(t)
	for _, s := range source.stages {
		var reads, sets values
		usage.EachCalled(source.methods, s.method, func(m *usage.Method) {
			reads |= source.valuesOf(m.Reads)
			sets |= source.valuesOf(m.Sets) | source.valuesOf(m.Lends)
		})
		reads, sets = reads&^(s.reads|s.sets), sets&^s.sets
		assert.Zero(t, reads, "the row of %s does not say that it reads %s", s.method, source.words(reads))
		assert.Zero(t, sets, "the row of %s does not say that it sets %s", s.method, source.words(sets))
	}
}

// What a request asks for, who asks and what has been answered are each set in one file.
func TestValuesOfARequestAreSetInTheirFiles(t *testing.T) {
	methods := sourceOf(t).methods
	for typ, file := range map[string]string{"asked": "asked.go", "requester": "guard.go", "answer": "answer.go"} {
		fields := append(usage.Fields(t, typ), typ)
		for name, m := range methods {
			for _, path := range m.Sets {
				field, _, _ := strings.Cut(path, ".")
				if slices.Contains(fields, field) {
					assert.Equal(t, file, m.File, "method %s sets %s", name, path)
				}
			}
		}
	}
}
