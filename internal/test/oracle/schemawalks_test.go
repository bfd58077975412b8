package oracle

import (
	"slices"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
	"github.com/stretchr/testify/require"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
)

// sent is an object of a random schema, in upstream's form and in ours.
type sent struct {
	twins
	asSent map[string]any
	ours   doc.Value
	theirs map[string]any
}

func randomSent(t *testing.T, r round) sent {
	tw := randomTwins(t, r.Rand)
	return tw.send(t, r)
}

func (tw twins) send(t *testing.T, r round) sent {
	v, ok := tw.shape.randomValue(r.Rand).(map[string]any)
	for !ok {
		v, ok = tw.shape.randomValue(r.Rand).(map[string]any)
	}
	return sent{tw, v, document(t, v), plainValue(t, v).(map[string]any)}
}

func (s sent) say() string {
	return string(codec.AppendJSON(nil, s.ours)) + "\n" + s.shape.goType().String()
}

func same(t *testing.T, s sent, theirs any, ours doc.Value) {
	data, err := utiljson.Marshal(theirs)
	require.NoError(t, err)
	requireSame(t, data, codec.AppendJSON(nil, ours), "%s", s.say())
}

// Both sides drop the same unknown fields and report the same names.
func TestPruning(t *testing.T) { rounds(t, 1000, checkPruning) }

func checkPruning(t *testing.T, r round) {
	s := randomSent(t, r)
	want := pruning.PruneWithOptions(s.theirs, s.structural, false,
		structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	pruned, unknown := s.twins.ours.Prune(s.ours)
	slices.Sort(unknown)
	require.Equal(t, strings.Join(want, "\n"), strings.Join(unknown, "\n"), "%s", s.say())
	same(t, s, s.theirs, pruned)
}

// Both sides set the same defaults and treat null as absence in the same places, and a second pass changes nothing.
func TestDefaulting(t *testing.T) { rounds(t, 1000, checkDefaulting) }

func checkDefaulting(t *testing.T, r round) {
	s := randomSent(t, r)
	defaulting.PruneNonNullableNullsWithoutDefaults(s.theirs, s.structural)
	defaulting.Default(s.theirs, s.structural)
	ours := s.twins.ours.Default(s.ours)
	same(t, s, s.theirs, ours)
	require.True(t, doc.Equal(ours, s.twins.ours.Default(ours)))
}

// prepare prunes and defaults the object on upstream's side. prepared does so on ours.
func (s sent) prepare() {
	pruning.Prune(s.theirs, s.structural, false)
	defaulting.PruneNonNullableNullsWithoutDefaults(s.theirs, s.structural)
	defaulting.Default(s.theirs, s.structural)
}

func (s sent) prepared() doc.Value {
	v, _ := s.twins.ours.Prune(s.ours)
	return s.twins.ours.Default(v)
}

// Both sides refuse a new object for the same reasons, in the same words.
func TestValidation(t *testing.T) {
	refused := 0
	enough := rounds(t, 1000, func(t *testing.T, r round) {
		if checkValidation(t, r) {
			refused++
		}
	})
	if enough {
		require.Greater(t, refused, 100)
	}
}

// checkValidation reports whether the object of the round is refused.
func checkValidation(t *testing.T, r round) (refused bool) {
	s := randomSent(t, r)
	s.prepare()
	validator, _, err := validation.NewSchemaValidator(s.props)
	require.NoError(t, err)
	want := validation.ValidateCustomResource(nil, s.theirs, validator)
	want = append(want, listtype.ValidateListSetsAndMaps(nil, s.structural, s.theirs)...)
	v := s.prepared()
	got := append(s.twins.ours.CheckTypes(nil, v), s.twins.ours.Validate(nil, v)...)
	require.Equal(t, theirTexts(want), ourTexts(got), "%s", s.say())
	return len(want) > 0
}

// Both sides accept the invalid values that an update does not change, and refuse the others in the same words.
func TestRatcheting(t *testing.T) {
	let, refused := 0, 0
	enough := rounds(t, 2000, func(t *testing.T, r round) {
		switch isRefused, wasInvalid := checkRatcheting(t, r); {
		case isRefused:
			refused++
		case wasInvalid:
			let++
		}
	})
	if enough {
		require.Greater(t, refused, 50)
		require.Greater(t, let, 20)
	}
}

// checkRatcheting reports whether the update of the round is refused, and whether it would be as a new object.
func checkRatcheting(t *testing.T, r round) (refused, invalid bool) {
	old := randomSent(t, r)
	s := old.change(t, r)
	old.prepare()
	s.prepare()
	validator, _, err := validation.NewSchemaValidator(s.props)
	require.NoError(t, err)
	was, now := old.prepared(), s.prepared()
	if len(s.twins.ours.CheckTypes(nil, now)) > 0 || len(s.twins.ours.CheckTypes(nil, was)) > 0 {
		return false, false // its Go type cannot represent the value, so it can never have been stored
	}
	if s.shape.lacksKeys(s.theirs) || s.shape.lacksKeys(old.theirs) {
		return false, false // upstream treats every list with such elements as changed
	}
	correlated := common.NewCorrelatedObject(s.theirs, old.theirs, &model.Structural{Structural: s.structural})
	want := validation.ValidateCustomResourceUpdate(nil, s.theirs, old.theirs, validator,
		validation.WithRatcheting(correlated))
	if len(listtype.ValidateListSetsAndMaps(nil, s.structural, old.theirs)) == 0 {
		want = append(want, listtype.ValidateListSetsAndMaps(nil, s.structural, s.theirs)...)
	}
	ours := s.twins.ours
	got := slices.Concat(ours.CheckRules(nil, now, was), ours.CheckRepeats(nil, now, was), ours.CheckFixed(nil, now, was))
	require.Equal(t, theirTexts(want), ourTexts(got), "%s\nbefore: %s", s.say(), codec.AppendJSON(nil, was))
	return len(want) > 0, len(ours.Validate(nil, now)) > 0
}

// FuzzSchemas generates schemas and objects from a seed and runs all comparisons above.
func FuzzSchemas(f *testing.F) {
	fuzzSeeds(f, func(t *testing.T, again func() round) {
		checkPruning(t, again())
		checkDefaulting(t, again())
		checkValidation(t, again())
		checkRatcheting(t, again())
	})
}

// change returns the object with some members of another one.
func (s sent) change(t *testing.T, r round) sent {
	other := s.send(t, r)
	for key := range other.theirs {
		if oneIn(r.Rand, 2) {
			delete(other.theirs, key)
		}
	}
	v := plainValue(t, s.asSent).(map[string]any)
	mix(v, other.theirs, r)
	return sent{s.twins, v, document(t, v), plainValue(t, v).(map[string]any)}
}

// mix copies some members of from, at any depth.
func mix(into, from map[string]any, r round) {
	for key, value := range from {
		a, isMap := into[key].(map[string]any)
		if b, too := value.(map[string]any); isMap && too && oneIn(r.Rand, 2) {
			mix(a, b, r)
		} else {
			into[key] = value
		}
	}
}

func theirTexts(errs field.ErrorList) string {
	var texts []string
	for _, e := range errs {
		texts = append(texts, string(e.Type)+" "+e.Error())
	}
	return joined(texts)
}

func ourTexts(errs status.FieldErrors) string {
	var texts []string
	for _, e := range errs {
		texts = append(texts, string(e.Type)+" "+e.Error())
	}
	return joined(texts)
}

// joined sorts texts and removes duplicates, because upstream iterates over Go maps.
func joined(texts []string) string {
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), "\n")
}
