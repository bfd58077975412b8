package oracle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/docpatch"
	"github.com/decorum-go/decorum/internal/rules"
	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	gvk "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
)

// typed is an expression of a type, as upstream compiles it.
type typed struct {
	name, text string
	types      []*celgo.Type
}

func (e typed) GetName() string            { return e.name }
func (e typed) GetExpression() string      { return e.text }
func (e typed) ReturnTypes() []*celgo.Type { return e.types }

// rulingOn allows the verb get, and explains what it was asked.
func rulingOn(verb, path, group, resource, subresource, namespace, name,
	who string) (allowed bool, reason string, err error) {
	if name == "unsure" {
		err = errors.New("unsure about " + verb)
	}
	return verb == "get", strings.Join([]string{verb, path, group, resource, subresource, namespace, name, who}, "|"), err
}

// judge is upstream's form of rulingOn.
type judge struct{}

func (judge) Authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	allowed, reason, err := rulingOn(a.GetVerb(), a.GetPath(), a.GetAPIGroup(), a.GetResource(), a.GetSubresource(),
		a.GetNamespace(), a.GetName(), a.GetUser().GetName())
	if allowed {
		return authorizer.DecisionAllow, reason, err
	}
	return authorizer.DecisionDeny, reason, err
}

// ask is our form of rulingOn.
func ask(c rules.Check) rules.Ruling {
	who := "jane"
	if c.ServiceAccount != "" {
		who = "system:serviceaccount:" + c.ServiceAccountNamespace + ":" + c.ServiceAccount
	}
	allowed, reason, err := rulingOn(c.Verb, c.Path, c.Group, c.Resource, c.Subresource, c.Namespace, c.Name, who)
	return rules.Ruling{Allowed: allowed, Reason: reason, Err: err}
}

// expressionsOfAdmission returns expressions about a write: conditions, and terms from which random conditions are
// made.
func expressionsOfAdmission() (conditions, terms []string) {
	return []string{
			"object.spec.size == %s", "object.spec.parts.all(p, p.size >= 0)", "object.spec.parts.exists(p, p.name == %s)",
			"has(object.spec.note)",
			"object.spec.note == null",
			"has(oldObject.spec.size) && oldObject.spec.size <= object.spec.size", "object == oldObject", "oldObject == null",
			"'admins' in request.userInfo.groups", "request.operation == 'UPDATE'",
			"has(request.subResource) && request.subResource == 'status'", "request.dryRun",
			"request.requestKind.kind == 'Widget' && request.resource.group == 'example.com'",
			"request.userInfo.extra['scopes'].size() == 2",
			"has(request.userInfo.uid)", "namespaceObject.metadata.name == request.namespace",
			"namespaceObject.metadata.labels['team'] == %s",
			"has(namespaceObject.status.phase)", "params == null || params.limit >= %s",
			"authorizer.requestResource.check('get').allowed()",
			"authorizer.group('apps').resource('pods').namespace('a').name('unsure').check('put').errored()",
			"authorizer.group(%s).resource('pods').subresource('log').check('get').reason().size() > 3",
			"authorizer.serviceAccount('default', %s).path('/x').check('get').allowed()",
			"authorizer.path(%s).check('post').error() == ''",
			"object.metadata.labels.exists(k, k == 'app' && object.metadata.labels[k] == %s)",
			"object.spec.?missing.orValue(%s) == 5",
			"size(object.spec.parts) > 1", "object.spec.share > 0.25", "type(object.spec.size) == int",
			"variables.a == %s", "has(variables.b)", "variables.b == variables.a", "variables.missing == 1", "1 +",
			"nothing(%s)", "object.spec.size",
			"%s", "sets.contains(object.spec.tags, ['x'])", "object.spec.tags.join('-') == 'x-y'",
			"lists.range(200).all(i, i + object.spec.size >= 0)", "quantity(object.spec.memory).isGreaterThan(quantity('1Gi'))",
			"object.spec.size / %s == 1", "timestamp(object.metadata.creationTimestamp) < timestamp('2030-01-01T00:00:00Z')",
		}, []string{"3", "0", "'a'", "'default'", "null", "object.spec.size", "object.spec.missing", "params.limit",
			"object.metadata.name", "variables.a", "variables.b", "string(object.spec.size)", "object.spec.parts[0].name",
			"request.name", "['x']", "''"}
}

func randomExpression(r round) string {
	conditions, terms := expressionsOfAdmission()
	e := conditions[r.Intn(len(conditions))]
	if strings.Contains(e, "%s") {
		e = fmt.Sprintf(e, terms[r.Intn(len(terms))])
	}
	if oneIn(r.Rand, 3) {
		e = fmt.Sprintf([]string{"(%s) && (%s)", "(%s) || (%s)", "(%s) ? (%s) : false"}[r.Intn(3)], e, randomExpression(r))
	}
	return e
}

// randomWidget returns an object in JSON, or null.
func randomWidget(r round) string {
	if oneIn(r.Rand, 6) {
		return "null"
	}
	pick := func(texts ...string) string { return texts[r.Intn(len(texts))] }
	return `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "default"` +
		pick("", `, "labels": {"app": "a"}`, `, "labels": {"x/y": "3"}`, `, "labels": {}`) + pick("",
		`, "creationTimestamp": "2026-01-01T00:00:00Z"`) +
		`}, "spec": {` + pick(`"size": 3`, `"size": 0`, `"size": 3.5`, `"size": "3"`) + pick("", `, "note": null`,
		`, "note": "x"`) +
		pick("", `, "parts": []`, `, "parts": [{"name": "a", "size": 1}, {"name": "b", "size": -1}]`) +
		pick("", `, "share": 0.5`, `, "share": 1`) + pick("", `, "tags": ["x", "y"]`) + pick("", `, "memory": "2Gi"`,
		`, "memory": "x"`) + `}}`
}

func unstructuredOf(t *testing.T, text string) runtime.Object {
	if text == "null" {
		return nil
	}
	u := &unstructured.Unstructured{}
	require.NoError(t, u.UnmarshalJSON([]byte(text)))
	return u
}

func documentIn(t *testing.T, text string) doc.Value {
	if text == "null" {
		return doc.Value{}
	}
	v, _, err := codec.DecodeJSON([]byte(text))
	require.NoError(t, err)
	return v
}

// admissionInput is one write in both forms.
type admissionInput struct {
	attributes *admission.VersionedAttributes
	theirs     plugincel.OptionalVariableBindings
	namespace  *corev1.Namespace
	ours       *rules.Input
}

// updateOfStatus is the write that admissionInput describes, in our form.
const updateOfStatus = `{"kind": {"group": "example.com", "version": "v1", "kind": "Widget"}, "resource": {"group": "example.com", "version": "v1", "resource": "widgets"}, "subResource": "status",
	"requestKind": {"group": "example.com", "version": "v1", "kind": "Widget"}, "requestResource": {"group": "example.com", "version": "v1", "resource": "widgets"}, "requestSubResource": "status",
	"name": "w", "namespace": "default", "operation": "UPDATE", "userInfo": {"username": "jane", "groups": ["admins"], "extra": {"scopes": ["a", "b"]}}, "dryRun": true, "options": {"fieldManager": "m"}}`

func newAdmissionInput(t *testing.T, r round, object, old string) admissionInput {
	kind, resource := gvk.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"},
		gvk.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
	who := &user.DefaultInfo{Name: "jane", Groups: []string{"admins"}, Extra: map[string][]string{"scopes": {"a", "b"}}}
	attributes := admission.NewAttributesRecord(unstructuredOf(t, object), unstructuredOf(t, old), kind, "default", "w",
		resource, "status", admission.Update, &metav1.UpdateOptions{FieldManager: "m"}, true, who)
	versioned, err := admission.NewVersionedAttributes(attributes, kind,
		admission.NewObjectInterfacesFromScheme(runtime.NewScheme()))
	require.NoError(t, err)
	in := admissionInput{attributes: versioned,
		namespace: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default", Labels: map[string]string{"team": "a"}}}}
	in.ours = &rules.Input{Object: documentIn(t, object), OldObject: documentIn(t, old),
		Request:   func() (doc.Value, error) { return documentIn(t, updateOfStatus), nil },
		Namespace: documentIn(t, `{"metadata": {"name": "default", "labels": {"team": "a"}}, "spec": {}, "status": {}}`),
		Authorize: ask}
	in.theirs.Authorizer = judge{}
	if !oneIn(r.Rand, 4) {
		const params = `{"apiVersion": "example.com/v1", "kind": "Limit", "metadata": {"name": "l"}, "limit": 5}`
		in.theirs.VersionedParams, in.ours.Params = unstructuredOf(t, params), documentIn(t, params)
	}
	return in
}

var admissionLanguage = sync.OnceValues(func() (rules.Admission, error) { return rules.AdmissionOf(cel.Evaluator()) })

// compilers are both compilers of one policy.
type compilers struct {
	theirs *plugincel.CompositedCompiler
	ours   rules.Scope
}

func newCompilers(t *testing.T) compilers {
	theirs, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	require.NoError(t, err)
	language, err := admissionLanguage()
	require.NoError(t, err)
	ours, err := language.Scope()
	require.NoError(t, err)
	return compilers{theirs, ours}
}

// define compiles a variable with both.
func (c compilers) define(t *testing.T, name, text string) {
	theirs := c.theirs.CompileAndStoreVariable(typed{name, text, []*celgo.Type{celgo.AnyType, celgo.DynType}},
		plugincel.OptionalVariableDeclarations{HasParams: true, HasAuthorizer: true}, environment.StoredExpressions)
	ours := c.ours.Define(name, text, rules.Visible{Variables: true, Params: true, Authorizer: true})
	require.Equal(t, theirs.Error == nil, ours == nil, "%s: upstream %v, ours %v", text, theirs.Error, ours)
}

// resultText returns upstream's result of an expression.
func resultText(v ref.Val) string {
	switch v {
	case types.True:
		return "true"
	case types.False:
		return "false"
	}
	return fmt.Sprint(v.Value())
}

// Random expressions compile alike, and have the same results, errors and costs about random objects as in
// kube-apiserver.
func TestExpressionsOfAdmission(t *testing.T) {
	rounds(t, 150, func(t *testing.T, r round) {
		c := newCompilers(t)
		for _, name := range []string{"a", "b"}[:r.Intn(3)] {
			c.define(t, name, randomExpression(r))
		}
		visible := rules.Visible{Variables: true, Params: true, Authorizer: true}
		var texts []string
		var accessors []plugincel.ExpressionAccessor
		var compiled []rules.Expression
		for range 6 {
			text := randomExpression(r)
			theirs := c.theirs.CompileCELExpression(typed{"", text, []*celgo.Type{celgo.BoolType}},
				plugincel.OptionalVariableDeclarations{HasParams: true, HasAuthorizer: true}, environment.StoredExpressions)
			ours, err := c.ours.Compile(text, rules.Bool, visible)
			if theirs.Error != nil || err != nil {
				require.True(t, theirs.Error != nil && err != nil, "%s: upstream %v, ours %v", text, theirs.Error, err)
				require.Equal(t, theirs.Error.Error(), err.Error(), text)
				continue
			}
			texts, compiled = append(texts, text), append(compiled, ours)
			accessors = append(accessors, typed{"", text, []*celgo.Type{celgo.BoolType}})
		}
		condition := c.theirs.CompileCondition(accessors,
			plugincel.OptionalVariableDeclarations{HasParams: true, HasAuthorizer: true}, environment.StoredExpressions)
		for range 4 {
			object, old := randomWidget(r), randomWidget(r)
			in := newAdmissionInput(t, r, object, old)
			budget := []int64{rules.PolicyBudget, 1_000_000, 300}[r.Intn(3)]
			described := plugincel.CreateAdmissionRequest(in.attributes.Attributes,
				metav1.GroupVersionResource(in.attributes.GetResource()), metav1.GroupVersionKind(in.attributes.GetKind()))
			theirs, left, fatal := condition.ForInput(t.Context(), in.attributes, described, in.theirs, in.namespace, budget)
			evaluation := c.ours.Evaluate(in.ours, budget)
			for i, e := range compiled {
				v, err := evaluation.Value(t.Context(), e)
				if exhausted := new(rules.Exhausted); errors.As(err, &exhausted) {
					require.EqualError(t, fatal, exhausted.Text)
					return
				}
				if fatal != nil {
					continue // ours fails with a later expression
				}
				if theirs[i].Error != nil || err != nil {
					require.True(t, theirs[i].Error != nil && err != nil, "%s about %s and %s: upstream %v, ours %v", texts[i], object,
						old, theirs[i].Error, err)
					require.Equal(t, theirs[i].Error.Error(), err.Error(), texts[i])
					continue
				}
				require.Equal(t, resultText(theirs[i].EvalResult), string(codec.AppendJSON(nil, v)), "%s about %s and %s", texts[i],
					object, old)
			}
			require.NoError(t, fatal)
			require.Equal(t, left, evaluation.Left(), "the cost of %q about %s and %s", texts, object, old)
		}
	})
}

// Expressions that make JSON patches change objects as in kube-apiserver.
func TestJSONPatchesOfPolicies(t *testing.T) {
	values := []string{"1", "'x'", "null", "true", "0.5", "[1, 2]", "{'a': 'b'}", "object.spec.size", "object.spec.parts",
		"Object.spec.parts{name: 'c', size: 1}", "Object.spec{parts: [Object.spec.parts{name: 'c'}]}",
		"Object.spec{parts: [Object.spec.other{}]}", "[Object.x{a: 1}]", "object.missing", "duration('90s')", "bytes('abc')"}
	paths := []string{"'/spec/size'", "'/spec/new'", "'/spec/parts/0'", "'/spec/parts/-'", "'/spec/parts/9'",
		"'/spec/missing/x'", "'/metadata/labels/' + jsonpatch.escapeKey('x/y')", "'/spec/' + object.metadata.name",
		"'nonsense'"}
	rounds(t, 150, func(t *testing.T, r round) {
		c := newCompilers(t)
		var operations []string
		for range 1 + r.Intn(3) {
			op, path := []string{"add", "replace", "remove", "test", "move", "copy", "odd"}[r.Intn(7)], paths[r.Intn(len(paths))]
			text := fmt.Sprintf("JSONPatch{op: %q, path: %s", op, path)
			switch {
			case op == "move" || op == "copy":
				text += ", from: " + paths[r.Intn(len(paths))]
			case op == "test": // a test of null is another matter: kube-apiserver does not let it require that a member is missing
				text += ", value: " + values[r.Intn(2)]
			case op != "remove":
				text += ", value: " + values[r.Intn(len(values))]
			}
			operations = append(operations, text+"}")
		}
		expression := "[" + strings.Join(operations, ", ") + "]"
		object := randomWidget(r)
		if object == "null" {
			return
		}
		in := newAdmissionInput(t, r, object, "null")
		options := plugincel.OptionalVariableDeclarations{HasParams: true, HasAuthorizer: true, HasPatchTypes: true}
		patcher := patch.NewJSONPatcher(c.theirs.CompileMutatingEvaluator(&patch.JSONPatchCondition{Expression: expression},
			options, environment.StoredExpressions))
		theirs, theirErr := patcher.Patch(c.theirs.CreateContext(t.Context()),
			patch.Request{MatchedResource: in.attributes.GetResource(), VersionedAttributes: in.attributes,
				ObjectInterfaces: admission.NewObjectInterfacesFromScheme(runtime.NewScheme()), OptionalVariables: in.theirs,
				Namespace: in.namespace}, rules.PolicyBudget)

		var ours doc.Value
		compiled, err := c.ours.Compile(expression, rules.JSONPatch,
			rules.Visible{Variables: true, Params: true, Authorizer: true, Patches: true})
		if err == nil {
			ours, err = c.ours.Evaluate(in.ours, rules.PolicyBudget).Value(t.Context(), compiled)
		}
		evaluated := err == nil
		if err == nil {
			var p docpatch.JSONPatch
			if p, err = docpatch.ParseJSONPatch(codec.AppendJSON(nil, ours)); err == nil {
				ours, err = p.Apply(in.ours.Object)
			}
		}
		if errors.Is(err, docpatch.ErrTestFailed) {
			ours, err = in.ours.Object, nil
		}
		if theirErr != nil || err != nil {
			require.True(t, theirErr != nil && err != nil, "%s of %s: upstream %v, ours %v", expression, object, theirErr, err)
			if !evaluated { // the texts of patches that cannot be applied are compared elsewhere
				require.Equal(t, theirErr.Error(), err.Error(), expression)
			}
			return
		}
		want, err := json.Marshal(theirs)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(codec.AppendJSON(nil, ours)), "%s of %s", expression, object)
	})
}

// An apply configuration of a policy is merged as in kube-apiserver.
func TestApplyConfigurationsOfPolicies(t *testing.T) {
	converter := applyconfigurations.NewTypeConverter(scheme.Scheme)
	k := keeperOf[appsv1.Deployment](t)
	paths := func(err error) []string { // upstream lists them in a random order
		before, list, _ := strings.Cut(err.Error(), "structs: ")
		return append(strings.Split(list, ", "), before)
	}
	merged, refused := 0, 0
	rounds(t, 300, func(t *testing.T, r round) {
		live := documentIn(t,
			`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "labels": {"a": "b"}}, "spec": {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}},
			"spec": {"containers": [{"name": "c", "image": "i", "args": ["x"], "ports": [{"containerPort": 80, "protocol": "TCP"}], "env": [{"name": "E", "value": "1"}]}], "tolerations": [{"key": "k"}]}}}}`)
		pick := func(texts ...string) string { return texts[r.Intn(len(texts))] }
		config := documentIn(t,
			`{"apiVersion": "apps/v1", "kind": "Deployment", `+pick("", `"metadata": {"labels": {"c": "d"}}, `,
				`"metadata": {"finalizers": ["a/b"]}, `,
				`"metadata": {"ownerReferences": [{"uid": "u", "name": "n", "kind": "K", "apiVersion": "v1"}]}, `,
				`"metadata": {"wrong": 1}, `)+
				`"spec": {`+pick(`"replicas": 2`, `"replicas": null`, `"paused": true`)+pick("",
				`, "selector": {"matchLabels": {"x": "y"}}`)+`, "template": {"spec": {`+
				pick("", `"tolerations": [{"key": "l"}], `, `"imagePullSecrets": [{"name": "s"}], `,
					`"nodeSelector": {"x": "y"}, `)+
				`"containers": [{"name": "`+pick("c", "e")+`"`+pick("", `, "image": "j"`, `, "args": ["z"]`,
				`, "ports": [{"containerPort": 80, "protocol": "TCP", "name": "p"}]`,
				`, "env": [{"name": "E", "value": "2"}, {"name": "F"}]`,
				`, "resources": {"limits": {"cpu": "1"}}`)+`}]}}}}`)
		if oneIn(r.Rand, 8) {
			config = documentIn(t, `{"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": "2"}}`)
		}
		theirs, theirErr := patch.ApplyStructuredMergeDiff(converter, unstructuredOf(t, show(live)),
			unstructuredOf(t, show(config)).(*unstructured.Unstructured))
		ours, err := k.ours.Merge(live, config)
		if theirErr != nil || err != nil {
			require.True(t, theirErr != nil && err != nil, "%s: upstream %v, ours %v", show(config), theirErr, err)
			require.ElementsMatch(t, paths(theirErr), paths(err), show(config))
			refused++
			return
		}
		merged++
		want, err := k.document(theirs)
		require.NoError(t, err)
		require.JSONEq(t, show(want), show(ours), show(config))
	})
	require.True(t, testing.Short() || merged > 10 && refused > 10, "%d merged, %d refused", merged, refused)
}
