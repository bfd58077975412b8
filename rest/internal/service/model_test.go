package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

// FuzzClientsAgree makes the same random calls on two identical APIs: on one with an in-process client, on the other
// with a client over HTTP. All results, errors, warnings, stored objects and field managers must be equal.
func FuzzClientsAgree(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		choose := rand.New(rand.NewPCG(seed, 7))
		var options []apitest.DialOption
		for _, option := range []apitest.DialOption{
			func(r *rest.Resource[apitest.Dial]) { r.Wire.Dialect = rest.DialectBuiltin },
			func(r *rest.Resource[apitest.Dial]) { r.Wire.CreateOnUpdate = true },
			func(r *rest.Resource[apitest.Dial]) { r.Wire.VersionRequired = true },
			func(r *rest.Resource[apitest.Dial]) { r.Stage.Deprecated = true },
			func(r *rest.Resource[apitest.Dial]) { r.SelectableFields = []string{"spec.label"} },
			func(r *rest.Resource[apitest.Dial]) { r.Overlay = map[string]string{"DialSpec.limit": "default=9"} },
		} {
			if choose.IntN(3) == 0 {
				options = append(options, option)
			}
		}
		var models [2]*dialModel
		for i, by := range apitest.Transports {
			api, client := by.NewDials(t, options...)
			models[i] = &dialModel{api: api, client: client.FieldManager("model"), random: rand.New(rand.NewPCG(seed, 8))}
		}
		for step := range 60 {
			local, remote := models[0].step(t.Context()), models[1].step(t.Context())
			require.Equal(t, local, remote, "step %d", step)
			require.Equal(t, apitest.Do(t, models[0].api, "GET", apitest.Dials, "").Body,
				apitest.Do(t, models[1].api, "GET", apitest.Dials, "").Body, "after step %d: %s", step, local)
		}
	})
}

// dialModel makes random calls of a client. Two models with the same seed make the same calls.
type dialModel struct {
	api    *rest.API
	client rest.Client[apitest.Dial]
	random *rand.Rand
	known  []*apitest.Dial // all states that the model has read or written
	token  string
}

func (m *dialModel) one(of ...string) string { return of[m.random.IntN(len(of))] }

func (m *dialModel) chance(n int) bool { return m.random.IntN(n) == 0 }

// name returns a random name, usually of an object that may exist.
func (m *dialModel) name() string {
	return m.one("a", "a", "b", "b", "c", "d", "x y", "?", "a#b")
}

// object returns a random known state of an object, or a new object.
func (m *dialModel) object() *apitest.Dial {
	d := &apitest.Dial{ObjectMeta: apimeta.ObjectMeta{Name: m.name()}}
	if len(m.known) > 0 && !m.chance(3) {
		d = new(*m.known[max(0, len(m.known)-1-m.random.IntN(6))])
	}
	for range m.random.IntN(3) {
		m.change(d)
	}
	return d
}

// change changes a random field, often to its zero value.
func (m *dialModel) change(d *apitest.Dial) {
	switch m.random.IntN(16) {
	case 0:
		d.Spec.Replicas = int32(m.random.IntN(3))
	case 1:
		d.Spec.Enabled = !d.Spec.Enabled
	case 2:
		d.Spec.Label = m.one("", "x", "y")
	case 3:
		d.Spec.Limit = int64(m.random.IntN(2))
	case 4:
		d.Spec.Factor = float64(m.random.IntN(3))
	case 5:
		d.Spec.Knobs = append(d.Spec.Knobs[:len(d.Spec.Knobs):len(d.Spec.Knobs)],
			apitest.NamedKnob{Name: m.one("a", "b", "c")})
	case 6:
		d.Spec.Knobs = nil
	case 7:
		d.Spec.Colors = nil
	case 8:
		d.Status.Ready = !d.Status.Ready
	case 9:
		d.Status.Replicas = int32(m.random.IntN(2))
	case 10:
		d.Labels = map[string]string{"l": m.one("", "x", "not valid")}
	case 11:
		d.Finalizers = []string{m.one("example.com/f", "bare")}
	case 12:
		d.Finalizers = nil
	case 13:
		d.ResourceVersion = m.one("", "1", "999999", "x", d.ResourceVersion)
	case 14:
		d.UID = m.one("", "uid-1", "other")
	case 15:
		d.ObjectMeta.Namespace = m.one("", "default", "other")
	}
}

// version returns a known resourceVersion, or an unusual one for which the server does not wait.
func (m *dialModel) version() string {
	if len(m.known) > 0 && !m.chance(3) {
		return m.known[m.random.IntN(len(m.known))].ResourceVersion
	}
	return m.one("", "0", "1", "x", "-1")
}

// step makes a call and describes its result.
func (m *dialModel) step(ctx context.Context) string {
	var warned []string
	ctx = rest.WithWarnings(ctx, func(text string) { warned = append(warned, text) })
	what, result, err := m.call(ctx)
	if d, ok := result.(*apitest.Dial); ok && err == nil {
		m.known = append(m.known, d)
	}
	text, _ := json.Marshal(result)
	out := fmt.Sprintf("%s: %s", what, text)
	failure, isStatus := errors.AsType[*status.Error](err)
	switch {
	case status.IsUnsupportedMediaType(err): // over HTTP, the handler refuses the media type with another text
		return what + ": an unsupported media type"
	case isStatus:
		described, _ := json.Marshal(failure.Status)
		return fmt.Sprintf("%s: %s", what, described) // over HTTP, the server omits some warnings of a refused write
	case err != nil:
		return fmt.Sprintf("%s: error %v", what, err)
	}
	return fmt.Sprintf("%s %q", out, warned)
}

// call makes a random call.
func (m *dialModel) call(ctx context.Context) (what string, result any, err error) {
	client := m.client
	if m.chance(10) {
		client = client.DryRun()
	}
	switch m.random.IntN(14) {
	case 0, 1:
		d := m.object()
		if m.chance(2) {
			*d = apitest.Dial{ObjectMeta: apimeta.ObjectMeta{Name: m.one("a", "b", "c", "d"), Labels: d.Labels}, Spec: d.Spec}
		}
		result, err = client.Create(ctx, d)
		return describe("create", d), result, err
	case 2:
		name, version := m.name(), m.version()
		result, err = client.GetNotOlderThan(ctx, name, version)
		return fmt.Sprintf("get %q at %q", name, version), result, err
	case 3:
		o := m.listOptions()
		page, err := client.List(ctx, o)
		if err == nil {
			m.token = page.Continue
		}
		return fmt.Sprintf("list %+v", o), page, err
	case 4, 5:
		d := m.object()
		result, err = client.Update(ctx, d)
		return describe("update", d), result, err
	case 6:
		d := m.object()
		result, err = client.UpdateStatus(ctx, d)
		return describe("update status", d), result, err
	case 7:
		name, changes := m.name(), m.random.Uint64()
		result, err = client.Modify(ctx, name, m.changes(changes))
		return fmt.Sprintf("modify %q", name), result, err
	case 8:
		name, changes := m.name(), m.random.Uint64()
		result, err = client.ModifyStatus(ctx, name, m.changes(changes))
		return fmt.Sprintf("modify status %q", name), result, err
	case 9:
		return m.patch(ctx, client)
	case 10:
		return m.apply(ctx, client)
	case 11:
		name, o := m.name(), m.deleteOptions()
		return describe(fmt.Sprintf("delete %q", name), o), nil, client.Delete(ctx, name, o)
	case 12:
		o, list := m.deleteOptions(), m.listOptions()
		if !m.chance(4) {
			list.LabelSelector = "l=x"
		}
		result, err = client.DeleteCollection(ctx, o, list)
		return describe(fmt.Sprintf("delete collection %+v", list), o), result, err
	default:
		return m.scale(ctx, client)
	}
}

// describe returns the text of a call and the JSON that it sends.
func describe(call string, sent any) string {
	text, _ := json.Marshal(sent)
	return call + " " + string(text)
}

// changes returns a function that makes the same random changes in every call.
func (m *dialModel) changes(seed uint64) func(*apitest.Dial) error {
	return func(d *apitest.Dial) error {
		again := &dialModel{random: rand.New(rand.NewPCG(seed, 9))}
		uid := d.UID
		for range again.random.IntN(3) {
			again.change(d)
		}
		d.UID = uid // an update over HTTP sends the uid as a precondition
		if again.chance(10) {
			return errors.New("enough")
		}
		return nil
	}
}

func (m *dialModel) listOptions() (o rest.ListOptions) {
	if m.chance(2) {
		o.Limit = int64(m.random.IntN(3))
	}
	if m.chance(3) {
		o.LabelSelector = m.one("l", "l=x", "l in (x,y)", "!l", "x===")
	}
	if m.chance(3) {
		o.FieldSelector = m.one("metadata.name=a", "metadata.name!=a", "spec.label=x", "spec.nope=1", "x")
	}
	if m.chance(3) {
		o.ResourceVersion = m.version()
		o.ResourceVersionMatch = apimeta.ResourceVersionMatch(m.one("", "", "Exact", "NotOlderThan", "Nearly"))
	}
	if m.chance(3) {
		o.Continue = m.one(m.token, "nonsense")
	}
	return o
}

func (m *dialModel) deleteOptions() (o rest.DeleteOptions) {
	if m.chance(3) {
		o.PropagationPolicy = apimeta.DeletionPropagation(m.one("Foreground", "Background", "Orphan", "Sideways"))
	}
	if m.chance(3) {
		o.Preconditions = &apimeta.Preconditions{UID: new(m.one("uid-1", "uid-2"))}
	}
	if m.chance(3) {
		o.Preconditions = &apimeta.Preconditions{ResourceVersion: new(m.version())}
	}
	if m.chance(4) {
		o.GracePeriodSeconds = new(int64(m.random.IntN(3)) - 1)
	}
	return o
}

func (m *dialModel) patch(ctx context.Context, client rest.Client[apitest.Dial]) (string, any, error) {
	client = client.Validation(apimeta.FieldValidation(m.one("", "Warn", "Ignore", "Strict", "Maybe")))
	form := apimeta.PatchType(m.one(apitest.TypeMergePatch, apitest.TypeMergePatch, apitest.TypeJSONPatch,
		"application/strategic-merge-patch+json", "text/plain"))
	data := m.one(`{"spec":{"replicas":0,"nope":1}}`, `{"spec":{"label":"","enabled":null}}`,
		`{"metadata":{"resourceVersion":"2"}}`, `{"spec":{"replicas":"x"}}`, `{"status":{"ready":false}}`, `{`,
		`{"spec":{"label":"p","label":"q"}}`)
	if form == apitest.TypeJSONPatch {
		data = m.one(`[{"op":"replace","path":"/spec/replicas","value":0}]`,
			`[{"op":"add","path":"/status","value":{"replicas":1}}]`, `[{"op":"test","path":"/spec/label","value":"z"}]`, `{}`)
	}
	name, call := m.name(), client.Patch
	if m.chance(3) {
		call = client.PatchStatus
	}
	result, err := call(ctx, name, form, []byte(data))
	return fmt.Sprintf("patch %q %s %s", name, form, data), result, err
}

func (m *dialModel) apply(ctx context.Context, client rest.Client[apitest.Dial]) (string, any, error) {
	client = client.FieldManager(m.one("model", "applier", "other", ""))
	config := m.one(`{"spec":{"replicas":0}}`, `{"spec":{"label":"applied","enabled":false}}`, `{"spec":{"nope":1}}`,
		`{"metadata":{"name":"other"}}`, `{"spec":{"knobs":[{"name":"a","size":0}]}}`, `{"status":{"replicas":2}}`,
		`{"kind":"Other"}`, `{"metadata":{"uid":"other"}}`)
	name, call, force := m.name(), client.Apply, m.chance(3)
	if m.chance(3) {
		call = client.ApplyStatus
	}
	result, err := call(ctx, name, json.RawMessage(config), apimeta.ApplyOptions{Force: force})
	return fmt.Sprintf("apply %q %s force=%t", name, config, force), result, err
}

// scale reads and writes /scale and subresources that do not exist.
func (m *dialModel) scale(ctx context.Context, client rest.Client[apitest.Dial]) (string, any, error) {
	type scale struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               struct {
			Replicas int32 `json:"replicas"`
		} `json:"spec"`
	}
	name, subresource := m.name(), "scale"
	if m.chance(4) {
		subresource = "status"
	}
	if m.chance(2) {
		result, err := rest.GetSubresource[scale](ctx, client, name, subresource)
		return "get " + subresource + " of " + strconv.Quote(name), result, err
	}
	s := &scale{ObjectMeta: apimeta.ObjectMeta{ResourceVersion: m.version()}}
	s.Spec.Replicas = int32(m.random.IntN(4)) - 1
	result, err := rest.UpdateSubresource(ctx, client, name, subresource, s)
	return describe("update "+subresource+" of "+strconv.Quote(name), s), result, err
}
