package write

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/usage"
)

var theOrder = newOrder()

var update = flag.Bool("update", false, "write the table of steps into the docs")

// The docs show the steps of a write in their order.
func TestStepsAreInTheDocs(t *testing.T) {
	const page = "../../../docs/design-of-rest.md"
	var table strings.Builder
	table.WriteString("| step | file | body | create | update | delete | stored version | what it does |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	mark := map[bool]string{true: " x |", false: " |"}
	for i, s := range slices.Concat(theOrder.body, theOrder.main) {
		_, file := codeOf(s)
		ofBody := i < len(theOrder.body)
		fmt.Fprintf(&table, "| %s | %s |%s", s.name, file, mark[ofBody])
		for _, on := range []operations{onCreate, onUpdate, onDelete} {
			table.WriteString(mark[!ofBody && s.on&on != 0])
		}
		repeated := slices.ContainsFunc(theOrder.stored, func(stored step) bool { return stored.name == s.name })
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
		steps := slices.Concat(theOrder.body, theOrder.main)
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

// codeOf returns the name of a step's method and the file that contains it.
func codeOf(s step) (method, file string) {
	f := runtime.FuncForPC(reflect.ValueOf(s.do).Pointer())
	path, _ := f.FileLine(f.Entry())
	return f.Name()[strings.LastIndex(f.Name(), ".")+1:], filepath.Base(path)
}

// A method is called like its step.
func TestStepsAreCalledLikeTheirMethods(t *testing.T) {
	for _, s := range slices.Concat(theOrder.body, theOrder.main) {
		method, _ := codeOf(s)
		words := strings.Fields(s.name)
		for i, word := range words[1:] {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
		assert.Equal(t, strings.Join(words, ""), method)
	}
}

// Whatever the operation, no step reads a part of the attempt before another step has set it.
func TestStepsReadWhatIsSet(t *testing.T) {
	check := func(name string, list []step, on operations, set, has values) {
		for _, s := range list {
			if s.on&on == 0 {
				continue
			}
			if unset := s.reads & has &^ set; unset != 0 {
				t.Errorf("%s: step %q reads %q before a step has set it", name, s.name, selectors(unset))
			}
			set |= s.sets
		}
	}
	const unlessAsked = translated | review // false and nil unless a step sets them
	check("body", theOrder.body, onWrite, now|unlessAsked, ^none)
	check("create", theOrder.main, onCreate, ofCreate|unlessAsked, ^none)
	check("update", theOrder.main, onUpdate, record|unlessAsked, ^none)
	check("delete", theOrder.main, onDelete, record, ofDeletion)
	check("stored version", theOrder.stored, onWrite, ofStored, ^none)
}

// valueNames are the values by their selectors below an attempt.
var valueNames = map[string]values{
	"before.record": record, "before.shown": shownBefore, "before.json": shownBefore, "before.stored": storedBefore,
	"before.forms": formsBefore,
	"before.view":  view, "draft.now": now, "draft.wanted": wanted, "draft.typed": typed, "draft.defaulted": inDefaults,
	"draft.translated": translated, "draft.nameGenerated": nameGenerated, "draft.versioned": versioned,
	"draft.owners": owners,
	"draft.sent":   sent, "draft.asked": asked, "draft.base": base, "after.shown": shownAfter, "after.stored": storedAfter,
	"after.forms": formsAfter,
	"after.json":  encoded, "after.response": response,
}

// selectors names values for an error.
func selectors(of values) (names []string) {
	for name, part := range valueNames {
		if part&(part-1) == 0 && of&part != 0 { // a single form, not a pair
			names = append(names, name)
		}
	}
	if of&review != 0 {
		names = append(names, "review")
	}
	slices.Sort(names)
	return names
}

// A step says all that its code reads and sets. It may read what it sets itself.
func TestStepsSayWhatTheyUse(t *testing.T) {
	all := usage.Of(t, "Write")
	for _, s := range slices.Concat(theOrder.body, theOrder.main) {
		method, _ := codeOf(s)
		var reads, sets values
		usage.EachCalled(all, method, func(m *usage.Method) {
			for _, name := range m.Reads {
				reads |= valueNames[name]
			}
			for _, name := range slices.Concat(m.Sets, m.Lends) {
				sets |= valueNames[name]
			}
		})
		reads, sets = reads&^(s.reads|s.sets), sets&^s.sets
		assert.Zero(t, reads, "the row of %s does not say that it reads %q", method, selectors(reads))
		assert.Zero(t, sets, "the row of %s does not say that it sets %q", method, selectors(sets))
	}
}
