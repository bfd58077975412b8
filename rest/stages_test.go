package rest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/usage"
)

var update = flag.Bool("update-stages", false, "write the table of stages into the docs")

// describedValues are the values of a request in their order, with their fields and the words that the docs use.
var describedValues = []struct {
	values
	word   string
	fields []string
}{
	{received, "request", []string{"r"}},
	{writer, "answer", []string{"w"}},
	{found, "path", []string{"serving", "res", "at", "through", "chooser", "unknown"}},
	{auditID, "audit ID", []string{"auditID"}},
	{watched, "observers", []string{"observed"}},
	{admitted, "admission", []string{"entered", "admitted"}},
	{sender, "user", []string{"expires", "onRevoked", "sender", "needs", "secret", "requester"}},
	{parameters, "query", []string{"query"}},
	{seats, "place", []string{"flight"}},
	{granted, "rights", []string{"only", "since", "resume", "requester"}},
	{chosen, "handler", []string{"handle"}},
	{failure, "error", []string{"refused"}},
	{over, "end", []string{"done"}},
}

// words names values.
func (v values) words() string {
	if v == everything {
		return "everything"
	}
	var words []string
	for _, d := range describedValues {
		if v&d.values != 0 {
			words = append(words, d.word)
		}
	}
	return strings.Join(words, ", ")
}

// valuesOf returns the values that have these fields.
func valuesOf(fields []string) (all values) {
	for _, d := range describedValues {
		if slices.ContainsFunc(fields, func(field string) bool { return slices.Contains(d.fields, field) }) {
			all |= d.values
		}
	}
	return all
}

// codeOf returns the name of a stage's method and the file that contains it.
func codeOf(s stage) (method, file string) {
	f := runtime.FuncForPC(reflect.ValueOf(s.do).Pointer())
	path, _ := f.FileLine(f.Entry())
	return f.Name()[strings.LastIndex(f.Name(), ".")+1:], filepath.Base(path)
}

// The docs show the stages of a request in their order.
func TestStagesAreInTheDocs(t *testing.T) {
	const page = "../docs/design-of-rest.md"
	var table strings.Builder
	table.WriteString("| stage | file | reads | sets | what it does |\n| --- | --- | --- | --- | --- |\n")
	for _, s := range newStages() {
		_, file := codeOf(s)
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", s.name, file, s.reads.words(), s.sets.words(), s.about)
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	head, _, _ := strings.Cut(table.String(), "\n")
	before, rest, known := strings.Cut(string(text), head+"\n")
	require.True(t, known, "%s has no table that begins with %s", page, head)
	shown, after, _ := strings.Cut(head+"\n"+rest, "\n\n")
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(before+table.String()+"\n"+after), 0o644))
		return
	}
	assert.Equal(t, table.String(), shown+"\n", "%s is out of date: go test -run %s ./rest -update-stages", page, t.Name())
}

// A method is called like its stage.
func TestStagesAreCalledLikeTheirMethods(t *testing.T) {
	for _, s := range newStages() {
		method, _ := codeOf(s)
		words := strings.Fields(s.name)
		for i, word := range words[1:] {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
		assert.Equal(t, strings.Join(words, ""), method)
	}
}

// No stage reads a value before another one has set it. Of a request that a stage has refused, the later ones read only
// what may be missing.
func TestStagesReadWhatIsSet(t *testing.T) {
	set := received | writer | watched | parameters | sender | failure | over // nil or empty unless a stage sets them
	for _, s := range newStages() {
		set |= s.sets
		if unset := s.reads &^ set; unset != 0 {
			t.Errorf("stage %q reads %s before a stage has set it", s.name, unset.words())
		}
	}
}

// A stage says all that its code reads and sets. The handler, which act calls, may use everything.
func TestStagesSayWhatTheyUse(t *testing.T) {
	all := usage.Of(t, "request", "asked", "requester", "answer")
	for _, s := range newStages() {
		method, _ := codeOf(s)
		var reads, sets values
		usage.EachCalled(all, method, func(m *usage.Method) {
			reads |= valuesOf(m.Reads)
			sets |= valuesOf(m.Sets) | valuesOf(m.Lends)
		})
		reads, sets = reads&^(s.reads|s.sets), sets&^s.sets
		assert.Zero(t, reads, "the row of %s does not say that it reads %s", method, reads.words())
		assert.Zero(t, sets, "the row of %s does not say that it sets %s", method, sets.words())
	}
}

// What a request asks for, who asks and what has been answered are each set in one file.
func TestValuesOfARequestAreSetInTheirFiles(t *testing.T) {
	for _, c := range []struct {
		of   reflect.Type
		file string
	}{
		{reflect.TypeFor[asked](), "asked.go"}, {reflect.TypeFor[requester](), "guard.go"},
		{reflect.TypeFor[answer](), "answer.go"},
	} {
		for name, m := range usage.Of(t, "request", "asked", "requester", "answer") {
			for _, path := range m.Sets {
				field, _, _ := strings.Cut(path, ".")
				if _, has := c.of.FieldByName(field); has || field == c.of.Name() {
					assert.Equal(t, c.file, m.File, "method %s sets %s", name, path)
				}
			}
		}
	}
}
