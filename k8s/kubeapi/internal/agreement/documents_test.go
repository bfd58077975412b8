package agreement_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/offline"
	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
	"github.com/decorum-go/decorum/rest/validate"
)

// document is the text of one object, which the validator reads from a file and the server from the body of a request.
type document []byte

// object returns what the document says. It is nil for a document that the validator cannot read.
func (d document) object() (o map[string]any) {
	decode := yaml.Unmarshal // refuses some escapes of JSON
	if d.isJSON() {
		decode = func(text []byte, into any, _ ...yaml.JSONOpt) error { return json.Unmarshal(text, into) }
	}
	if !utf8.Valid(d) || decode(d, &o) != nil {
		return nil
	}
	return o
}

func (d document) isJSON() bool { return json.Valid(d) }

// textAt returns a string in an object, or an empty one.
func textAt(o map[string]any, path ...string) string {
	for _, key := range path[:len(path)-1] {
		o, _ = o[key].(map[string]any)
	}
	text, _ := o[path[len(path)-1]].(string)
	return text
}

// documentOf returns an object as JSON or as YAML.
func documentOf(t *testing.T, o map[string]any, asJSON bool) document {
	encode := yaml.Marshal
	if asJSON {
		encode = json.Marshal
	}
	text, err := encode(o)
	require.NoError(t, err)
	return text
}

// judgement is what a client learns of an object.
type judgement struct {
	Verdict validate.Verdict
	Code    int
	Causes  []metav1.StatusCause // the causes of a 422
	Message string               // the message of another error
}

// hideRandom removes from the messages what the server chooses at random: the suffix of a generated name, and the ports
// of nodes.
func (j *judgement) hideRandom(generateName string) {
	generated := regexp.MustCompile("(" + regexp.QuoteMeta(generateName) + ")[a-z0-9]{5}")
	for i := range j.Causes {
		c := &j.Causes[i]
		if generateName != "" {
			c.Message = generated.ReplaceAllString(c.Message, "$1")
		}
		if strings.HasSuffix(c.Field, ".nodePort") {
			c.Message = nodePort.ReplaceAllString(c.Message, "value: ")
		}
	}
	if generateName != "" {
		j.Message = generated.ReplaceAllString(j.Message, "$1")
	}
}

var nodePort = regexp.MustCompile(`value: 3[0-2][0-9]{3}\b`)

// assertAgreement reports documents about which the validator and the server say something else. former has the former
// states of documents that are updates, each at the index of its document. It returns how many documents the server
// refuses.
func assertAgreement(t *testing.T, documents, former []document, definitions []string) (refused int) {
	t.Helper()
	judged, asked := validated(t, documents, former, definitions), answered(t, documents, former, definitions)
	disagreements := 0
	for i, want := range asked {
		if want.Code >= http.StatusBadRequest {
			refused++
		}
		got := judged[i]
		for _, one := range []*judgement{&got, &want} {
			one.hideRandom(textAt(documents[i].object(), "metadata", "generateName"))
		}
		if want.Message != "" && got.Message != "" && strings.Contains(want.Message, got.Message) {
			got.Message = want.Message // the validator divides it into findings
		}
		if !assert.ObjectsAreEqual(want, got) && disagreements < 10 {
			disagreements++
			t.Errorf("the validator: %+v\nthe server:    %+v\n%s", got, want, documents[i])
		}
	}
	return refused
}

// validated returns what the validator says of each document.
func validated(t *testing.T, documents, former []document, definitions []string) []judgement {
	t.Helper()
	dir := t.TempDir()
	args := []string{"-f", filepath.Join(dir, "in"), "--output", "json", "--service-cluster-ip-range", "10.0.0.0/24"}
	writeAll(t, filepath.Join(dir, "in"), documents)
	if former != nil {
		writeAll(t, filepath.Join(dir, "old"), former)
		args = append(args, "--old", filepath.Join(dir, "old"))
	}
	for _, d := range definitions {
		args = append(args, "--crds", d)
	}
	var stdout, stderr bytes.Buffer
	offline.Run(t.Context(), args, nil, &stdout, &stderr)
	require.Empty(t, stderr.String())
	var report struct {
		Results []struct {
			File     string
			Verdict  validate.Verdict
			Code     int
			Findings []struct {
				Severity               validate.Severity
				Field, Reason, Message string
			}
		}
	}
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &report))
	all := make([]judgement, len(documents))
	for _, r := range report.Results {
		var i int
		_, err := fmt.Sscanf(filepath.Base(r.File), "%06d", &i)
		require.NoError(t, err, r.File)
		require.Empty(t, all[i], "%s is one document, and has two results", documents[i])
		all[i] = judgement{Verdict: r.Verdict, Code: r.Code}
		for _, f := range r.Findings {
			switch {
			case f.Severity != validate.Error || r.Code == 0:
			case r.Code == http.StatusUnprocessableEntity:
				all[i].Causes = append(all[i].Causes,
					metav1.StatusCause{Type: metav1.CauseType(f.Reason), Message: f.Message, Field: f.Field})
			default:
				all[i].Message = f.Message
			}
		}
	}
	return all
}

// writeAll writes each document into a file whose name is its index.
func writeAll(t *testing.T, folder string, documents []document) {
	require.NoError(t, os.MkdirAll(folder, 0o700))
	for i, d := range documents {
		extension := "yaml"
		if d.isJSON() {
			extension = "json"
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%06d.%s", i, extension)), d, 0o600))
	}
}

// apiserver is a server that is asked about documents.
type apiserver struct {
	config    *rest.Config
	resources map[string]metav1.APIResource // the keys are the path of a version and a kind
}

// answered returns what a server answers to the documents.
func answered(t *testing.T, documents, former []document, definitions []string) []judgement {
	t.Helper()
	s := apiserver{kubeapitest.New(t, kubeapitest.Options{CRDs: definitions}).Config(), map[string]metav1.APIResource{}}
	for _, d := range slices.Concat(documents, former) {
		if o := d.object(); textAt(o, "kind") == "Namespace" {
			s.ask(t, http.MethodPost, "/api/v1/namespaces", d)
		}
	}
	for _, d := range slices.Concat(documents, former) {
		namespace := cmp.Or(textAt(d.object(), "metadata", "namespace"), "default")
		body := documentOf(t, map[string]any{"apiVersion": "v1", "kind": "Namespace",
			"metadata": map[string]any{"name": namespace}}, true)
		s.ask(t, http.MethodPost, "/api/v1/namespaces", body)
	}
	all := make([]judgement, len(documents))
	for i, d := range documents { // some are looked at when others are written
		if slices.Contains([]string{"IngressClass", "LimitRange", "PriorityClass", "RuntimeClass", "StorageClass"},
			textAt(d.object(), "kind")) {
			all[i] = s.judge(t, d, nil, "")
		}
	}
	for i, d := range documents {
		var before document
		if former != nil {
			before = former[i]
		}
		if all[i].Verdict == "" {
			all[i] = s.judge(t, d, before, "&dryRun=All")
		}
	}
	return all
}

// pathOf returns the collection of an object, or an empty path if the server does not serve its kind.
func (s apiserver) pathOf(t *testing.T, o map[string]any) string {
	at := "/api/" + url.PathEscape(textAt(o, "apiVersion"))
	if group, version, grouped := strings.Cut(textAt(o, "apiVersion"), "/"); grouped {
		at = "/apis/" + url.PathEscape(group) + "/" + url.PathEscape(version)
	}
	if _, known := s.resources[at]; !known {
		s.resources[at] = metav1.APIResource{}
		if a := s.ask(t, http.MethodGet, at, nil); a.code == http.StatusOK {
			var list metav1.APIResourceList
			require.NoError(t, json.Unmarshal(a.body, &list))
			for _, r := range list.APIResources {
				if !strings.Contains(r.Name, "/") && slices.Contains(r.Verbs, "create") {
					s.resources[at+" "+r.Kind] = r
				}
			}
		}
	}
	switch r := s.resources[at+" "+textAt(o, "kind")]; {
	case r.Name == "":
		return ""
	case r.Namespaced:
		return at + "/namespaces/" + url.PathEscape(cmp.Or(textAt(o, "metadata", "namespace"), "default")) + "/" + r.Name
	default:
		return at + "/" + r.Name
	}
}

// judge creates the object of a document, or replaces its former state.
func (s apiserver) judge(t *testing.T, d, former document, query string) judgement {
	t.Helper()
	o := d.object()
	if textAt(o, "apiVersion") == "" || textAt(o, "kind") == "" {
		return judgement{Verdict: validate.Unreadable}
	}
	path := s.pathOf(t, o)
	if path == "" {
		return judgement{Verdict: validate.Unknown}
	}
	query = "?fieldValidation=Strict" + query
	method := http.MethodPost
	if former != nil {
		old := former.object()
		metadata, _ := old["metadata"].(map[string]any)
		for _, key := range []string{"resourceVersion", "uid", "creationTimestamp", "managedFields", "generation",
			"deletionTimestamp"} {
			delete(metadata, key)
		}
		s.ask(t, http.MethodPost, path, documentOf(t, old, true))
		path += "/" + url.PathEscape(textAt(o, "metadata", "name"))
		if stored := document(s.ask(t, http.MethodGet, path, nil).body).object(); textAt(stored, "kind") != "Status" {
			method = http.MethodPut
			metadata := o["metadata"].(map[string]any)
			delete(metadata, "uid")
			metadata["resourceVersion"] = textAt(stored, "metadata", "resourceVersion")
			d = documentOf(t, o, true)
		} else {
			path = s.pathOf(t, o)
		}
	}
	a := s.ask(t, method, path+query, d)
	var status metav1.Status
	if a.code >= http.StatusBadRequest {
		require.NoError(t, json.Unmarshal(a.body, &status))
	}
	out := judgement{Verdict: validate.Invalid, Code: a.code}
	switch {
	case status.Reason == metav1.StatusReasonAlreadyExists: // nothing but the name is in the way
		return judgement{Verdict: validate.Valid, Code: http.StatusCreated}
	case a.code < http.StatusBadRequest:
		out.Verdict = validate.Valid
	case a.code == http.StatusUnprocessableEntity && status.Details != nil:
		for _, c := range status.Details.Causes {
			c.Field = strings.TrimPrefix(strings.TrimPrefix(c.Field, "<nil>"), ".")
			out.Causes = append(out.Causes, c)
		}
	default:
		out.Message = status.Message
	}
	return out
}

type reply struct {
	code int
	body []byte
}

func (s apiserver) ask(t *testing.T, method, path string, body document) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.config.Host+path, bytes.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/yaml")
	if body.isJSON() {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Accept", "application/json")
	answer, err := s.config.Transport.RoundTrip(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return reply{answer.StatusCode, read}
}
