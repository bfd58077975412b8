package oracle

import (
	"math/rand"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// labelSets are sets of labels that random selectors are likely to distinguish.
var labelSets = []map[string]string{
	{}, {"a": ""}, {"a": "x"}, {"a": "y", "b": "1"}, {"b": "2"}, {"b": "-1", "in": "z"},
	{"a": "x", "b": "x", "d.e/f": "x"},
}

// differsAsSelector reports whether the two sides need not agree on a selector. Ours are bounded. Upstream's end at a
// NUL, and upstream replaces invalid UTF-8 in messages.
func differsAsSelector(text string) bool {
	return len(text) > apimeta.MaxSelectorLength || strings.Count(text, ",") >= apimeta.MaxSelectorRequirements ||
		strings.Contains(text, "\x00") || !utf8.ValidString(text)
}

func checkLabelSelector(t *testing.T, text string) (parsed bool) {
	if differsAsSelector(text) {
		return false
	}
	want, wantErr := labels.Parse(text)
	got, gotErr := apimeta.ParseLabelSelector(text)
	if wantErr != nil {
		require.EqualError(t, gotErr, wantErr.Error(), "%q", text)
		return false
	}
	require.NoError(t, gotErr, "%q", text)
	requirements, _ := want.Requirements()
	var wantTexts, gotTexts []string
	for _, r := range requirements {
		wantTexts = append(wantTexts, strings.Replace(r.String(), "==", "=", 1))
	}
	for _, r := range got.Requirements() {
		gotTexts = append(gotTexts, r.String())
	}
	slices.Sort(wantTexts)
	slices.Sort(gotTexts)
	require.Equal(t, wantTexts, gotTexts, "%q", text)
	require.Equal(t, want.Empty(), got.Empty(), "%q", text)
	for _, set := range labelSets {
		require.Equal(t, want.Matches(labels.Set(set)), got.Matches(apimeta.LabelsOf(set)), "%q on %v", text, set)
	}
	again, err := labels.Parse(got.String())
	require.NoError(t, err, "upstream cannot read what we print: %q", got)
	require.Equal(t, want.String() == "", again.String() == "", "%q", text)
	return true
}

func checkFieldSelector(t *testing.T, text string) (parsed bool) {
	if differsAsSelector(text) {
		return false
	}
	want, wantErr := fields.ParseSelector(text)
	got, gotErr := apimeta.ParseFieldSelector(text)
	if wantErr != nil {
		require.Error(t, gotErr, "%q", text)
		if !strings.Contains(text, ",") { // of several faulty terms, upstream names the one that sorts first
			require.EqualError(t, gotErr, wantErr.Error(), "%q", text)
		}
		return false
	}
	require.NoError(t, gotErr, "%q", text)
	var wantTexts, gotTexts []string
	for _, r := range want.Requirements() {
		wantTexts = append(wantTexts, r.Field+string(r.Operator)+r.Value)
	}
	for _, r := range got.Requirements() {
		gotTexts = append(gotTexts, r.Field+string(r.Operator)+r.Value)
	}
	slices.Sort(wantTexts)
	slices.Sort(gotTexts)
	require.Equal(t, wantTexts, gotTexts, "%q", text)
	require.Equal(t, want.Empty(), got.Empty(), "%q", text)
	for _, set := range labelSets {
		require.Equal(t, want.Matches(fields.Set(set)), got.Matches(func(field string) string { return set[field] }),
			"%q on %v", text, set)
	}
	again, err := fields.ParseSelector(got.String())
	require.NoError(t, err, "upstream cannot read what we print: %q", got)
	require.Equal(t, len(want.Requirements()), len(again.Requirements()), "%q", text)
	return true
}

func TestSelectors(t *testing.T) {
	parsedLabels, parsedFields := 0, 0
	all := rounds(t, 5000, func(t *testing.T, r round) {
		var b strings.Builder
		for range r.Intn(9) {
			b.WriteString(pickText(r.Rand, "a", "b", "x", "1", "-1", "in", "notin", "not", "d.e/f", "=", "==", "!=", "!", ",",
				",", "(", ")", ">", "<", " ", "", "é", "_"))
		}
		if checkLabelSelector(t, b.String()) {
			parsedLabels++
		}
		if checkLabelSelector(t, randomSelector(r.Rand)) {
			parsedLabels++
		}
		var f strings.Builder
		for range r.Intn(8) {
			f.WriteString(pickText(r.Rand, "a", "b", "x", "metadata.name", "=", "==", "!=", "!", ",", `\`, `\,`, `\=`, `\\`, " ",
				"é"))
		}
		if checkFieldSelector(t, f.String()) {
			parsedFields++
		}
	})
	require.True(t, parsedLabels > 0 && parsedFields > 0 || !all)
}

// randomSelector returns a label selector that is nearly always valid.
func randomSelector(r *rand.Rand) string {
	var terms []string
	for range 1 + r.Intn(3) {
		key, value := pickText(r, "a", "b", "in", "d.e/f"), pickText(r, "x", "y", "1", "-1", "")
		terms = append(terms, pickText(r, key, "!"+key, key+"="+value, key+" == "+value, key+"!="+value, key+">1", key+"<2",
			key+" in (x, "+value+")", key+" notin ("+value+",1,1)"))
	}
	return strings.Join(terms, pickText(r, ",", ", "))
}

func FuzzLabelSelector(f *testing.F) {
	for _, text := range []string{"", "a", "!a", "a=x", "a==x,b!=y", "a in (x,y),b notin (), c", "a>1,b<2", "a in",
		"a in x", ",", "a,",
		"a in (,)", "x in ((", "!a=b", "a = b c", "in in (in)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkLabelSelector(t, text) })
}

func FuzzFieldSelector(f *testing.F) {
	for _, text := range []string{"", "a=b", "a==b,c!=d", `a=\,\=\\`, `a=\x`, "a", ",", "a=b=c", `a\,b=c`, "=", "!=",
		`a=b\`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkFieldSelector(t, text) })
}
