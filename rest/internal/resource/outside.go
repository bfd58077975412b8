package resource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/status"
)

// Converter converts objects of a kind without a Go struct to the version with this apiVersion. It returns one object
// for each, in the same order. It may take long and cost much, as a call of a webhook does, so the resource passes many
// objects at a time, and asks once if several readers want the same object.
type Converter func(ctx context.Context, objects []json.RawMessage, apiVersion string) ([]json.RawMessage, error)

// outside is the Converter of a kind, with the conversions under way.
type outside struct {
	convert    Converter
	mu         sync.Mutex
	pending    map[shownKey]*pending
	beforehand atomic.Pointer[beforehand] // during an exchange
}

func newOutside(convert Converter) *outside {
	if convert == nil {
		return nil
	}
	return &outside{convert: convert, pending: map[shownKey]*pending{}}
}

// ConvertedOutside reports whether requests in this version may wait for a Converter.
func (res *Resource) ConvertedOutside() bool { return res.Stored != res && res.Stored.outside != nil }

// between returns a function that converts single documents.
func (o *outside) between(from, to *Resource) func(doc.Value) (doc.Value, error) {
	return func(v doc.Value) (doc.Value, error) {
		ctx, cancel := o.withinExchange()
		defer cancel()
		converted, err := o.call(ctx, conversion{from: from.GVK, to: to, objects: []doc.Value{from.WithKind(v)}})
		if err != nil {
			return doc.Value{}, err
		}
		return to.defaultConverted(converted[0])
	}
}

// conversion is one call of a Converter.
type conversion struct {
	from    apimeta.GroupVersionKind
	to      *Resource
	objects []doc.Value
	list    bool // the objects belong to a list, which changes the words of errors
}

// call converts objects and checks the answer by the rules for webhooks, whose words the errors have too.
func (o *outside) call(ctx context.Context, c conversion) ([]doc.Value, error) {
	texts := make([]json.RawMessage, len(c.objects))
	for i, v := range c.objects {
		texts[i] = codec.AppendObject(nil, v)
	}
	answered, err := o.run(ctx, texts, c.to.GVK.GroupVersion().String())
	if err != nil {
		return nil, c.failed("failed: %w", err)
	}
	if len(answered) != len(texts) {
		return nil, c.failed("returned %d objects, expected %d", len(answered), len(texts))
	}
	converted := make([]doc.Value, len(answered))
	for i, text := range answered {
		if converted[i], err = c.accept(i, text); err != nil {
			return nil, err
		}
	}
	return converted, nil
}

// run calls the Converter. A panic is an error.
func (o *outside) run(ctx context.Context, texts []json.RawMessage,
	apiVersion string) (answered []json.RawMessage, err error) {
	ctx, ended := observe.BeginStep(ctx, observe.Step{Kind: observe.StepConversion, Name: apiVersion})
	defer func() { ended(observe.StepResult{Err: err}) }()
	defer EnterHook(ctx, "Convert").Leave(&err)
	return o.convert(ctx, texts, apiVersion)
}

// failed returns the error of a conversion, in upstream's words.
func (c *conversion) failed(form string, args ...any) error {
	err := fmt.Errorf("conversion webhook for %v "+form, append([]any{c.from}, args...)...)
	return status.Generic(500, err.Error()).WithCause(err)
}

// withheld returns an error that may quote a converted object.
func (c *conversion) withheld(err error) error {
	return errorlog.Withhold(err,
		fmt.Sprintf("conversion webhook for %v returned an invalid object, which the error may quote", c.from))
}

// accept reads and checks one converted object.
func (c *conversion) accept(i int, text []byte) (doc.Value, error) {
	original := c.objects[i]
	invalid, metadata, at := "returned invalid object: %w", "returned invalid metadata: %w",
		"returned invalid object at index 0: %w"
	if c.list {
		at = fmt.Sprintf("returned invalid converted object at index %d: %%w", i)
		invalid, metadata = at, fmt.Sprintf("returned invalid metadata in object at index %d: %%w", i)
	}
	v, _, err := codec.DecodeJSON(text)
	if err != nil || v.Kind() != doc.Map {
		return doc.Value{}, c.failed(at, errors.New("it is not a JSON object"))
	}
	expected := c.to.GVK
	if got := v.Get("apiVersion").Text(); got != expected.GroupVersion().String() {
		return doc.Value{}, c.failed(at, c.withheld(fmt.Errorf("invalid groupVersion (expected %v, received %v)",
			expected.GroupVersion(), got)))
	}
	if got := v.Get("kind").Text(); got != c.from.Kind {
		return doc.Value{}, c.failed(at, c.withheld(fmt.Errorf("invalid kind (expected %v, received %v)", c.from.Kind,
			got)))
	}
	if err := objectmeta.CheckConverted(original, v); err != nil {
		return doc.Value{}, c.failed(invalid, c.withheld(err))
	}
	if v, err = objectmeta.RestoreConverted(original, v); err != nil {
		return doc.Value{}, c.failed(metadata, c.withheld(err))
	}
	return v, nil
}
