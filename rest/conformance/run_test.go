package conformance_test

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/conformance"
)

const stories = `
area: story
vars: {cm: "/api/v1/namespaces/${ns}/configmaps"}
cases:
- name: read
  doc: What was created can be read.
  given: [{cm: a, labels: {l: x}, data: {k: v}}]
  steps:
  - {do: "GET ${cm}/a", capture: {rv: metadata.resourceVersion}}
  - {do: "GET ${cm}?resourceVersion=${rv}"}
  - {do: "GET ${cm}/none"}
- name: watched
  doc: A watch tells of what is created.
  steps:
  - {do: "GET ${cm}?watch=1", watch: {events: 2}, start: w}
  - {do: "POST ${cm}", obj: {cm: , generateName: x-}, repeat: 2}
  - {collect: w}
- name: ignoring
  doc: A step can leave out what does not matter.
  given: [{cm: a, data: {k: v}}]
  steps:
  - {do: "GET ${cm}/a", ignore: [body.data, "body.**.uid"]}
  - {do: "GET ${cm}/a", compare: status-only}
  - {do: "GET ${cm}/a", compare: subset}
`

func folder(files ...string) fs.FS {
	dir := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		dir[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return dir
}

// recorded records the stories from a fake server.
func recorded(t *testing.T) fs.FS {
	t.Helper()
	dir := t.TempDir()
	server := &fake{Revision: 100}
	done, err := conformance.Record(t.Context(),
		conformance.Options{Server: server.start(t), Cases: folder("story.yaml", stories)}, nil, dir)
	require.NoError(t, err)
	require.Equal(t, conformance.Recording{Cases: 3, Responses: 9}, done)
	return os.DirFS(dir)
}

func TestRecordingHoldsSymbols(t *testing.T) {
	golden, err := fs.ReadFile(recorded(t), "story.json")
	require.NoError(t, err)
	text := string(golden)
	for _, want := range []string{
		`"req":"GET /api/v1/namespaces/${ns}/configmaps/a"`,
		`"metadata":{"creationTimestamp":"<time>","labels":{"l":"x"},"name":"a","namespace":"${ns}","resourceVersion":"rv1","uid":"<uid of a>"}`,
		`"kind":"ConfigMapList","metadata":{"resourceVersion":"rv1+"}`,
		`"name":"x-<generated1>"`, `"name":"x-<generated2>"`,
		`"uid":"<uid of x-<generated2>>"`,
	} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "managedFields", "unless the case asks")
	assert.NotContains(t, text, "BOOKMARK", "a server may send them at any time")
	assert.NotContains(t, text, `"details"`, "empty is as good as absent")
}

// A server with other resourceVersions, at another address and below a prefix gives the same
// transcripts.
func TestRunAgainstAnEqualServer(t *testing.T) {
	golden := recorded(t)
	for _, jobs := range []int{0, 1, 8} {
		t.Run(fmt.Sprintf("%d jobs", jobs), func(t *testing.T) {
			server := &fake{Revision: 7, Ahead: 5}
			url := server.start(t)
			mounted := httptest.NewServer(http.StripPrefix("/some/where", server))
			defer mounted.Close()
			for _, o := range []conformance.Options{{Server: url}, {Server: mounted.URL + "/some/where/"},
				{Server: mounted.URL + "/some", Prefix: "/where"}} {
				o.Cases, o.Golden, o.Jobs = folder("story.yaml", stories), golden, jobs
				report, err := conformance.Run(t.Context(), o)
				require.NoError(t, err)
				assert.True(t, report.OK())
				var names []string
				for _, r := range report.Results {
					names = append(names, r.ID())
					assert.Empty(t, r.Text(false))
					assert.Equal(t, conformance.Passed, r.Verdict, "%s: %v", r.ID(), r.Differences)
				}
				assert.Equal(t, []string{"story/read", "story/watched", "story/ignoring"}, names,
					"results stand in the order of the files")
			}
		})
	}
}

func TestRunFindsDifferences(t *testing.T) {
	golden := recorded(t)
	inObject := func(change func(object)) func(*http.Request, int, any) (int, any) {
		return func(r *http.Request, code int, body any) (int, any) {
			if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/a") {
				copied := object{}
				for k, v := range body.(object) {
					copied[k] = v
				}
				change(copied)
				return code, copied
			}
			return code, body
		}
	}
	inError := func(change func(object)) func(*http.Request, int, any) (int, any) {
		return func(_ *http.Request, code int, body any) (int, any) {
			if code == http.StatusNotFound {
				change(body.(object))
			}
			return code, body
		}
	}
	header := func(name, value string) func(*http.Request, http.Header) {
		return func(r *http.Request, h http.Header) {
			if strings.HasSuffix(r.URL.Path, "/a") {
				h.Set(name, value)
			}
		}
	}
	tests := []struct {
		name     string
		server   *fake
		read     conformance.Outcome
		paths    string // the paths of the differences in the case read
		ignoring conformance.Outcome
	}{
		{"message", &fake{Tamper: inError(func(o object) { o["message"] = "gone" })}, conformance.Message, "3 body.message",
			conformance.Pass},
		{"reason", &fake{Tamper: inError(func(o object) { o["reason"] = "Gone" })}, conformance.Fail, "3 body.reason",
			conformance.Pass},
		{"details", &fake{Tamper: inError(func(o object) { o["details"] = object{"name": "none"} })}, conformance.Fail,
			"3 body.details", conformance.Pass},
		{"status", &fake{Tamper: func(_ *http.Request, code int, body any) (int, any) {
			if code == http.StatusNotFound {
				code = http.StatusGone
			}
			return code, body
		}}, conformance.Fail, "3 status", conformance.Pass},
		{"list older than its objects", &fake{Ahead: -1}, conformance.Fail, "2 body.metadata.resourceVersion",
			conformance.Pass},
		{"member added", &fake{Tamper: inObject(func(o object) { o["extra"] = true })}, conformance.Fail, "1 body.extra",
			conformance.Fail},
		{"member missing", &fake{Tamper: inObject(func(o object) { delete(o, "kind") })}, conformance.Fail, "1 body.kind",
			conformance.Fail},
		{"value", &fake{Tamper: inObject(func(o object) { o["data"] = object{"k": "w"} })}, conformance.Fail, "1 body.data.k",
			conformance.Fail},
		{"number for text", &fake{Tamper: inObject(func(o object) { o["data"] = object{"k": 1} })}, conformance.Fail,
			"1 body.data.k", conformance.Fail},
		{"list for map", &fake{Tamper: inObject(func(o object) { o["data"] = []any{} })}, conformance.Fail, "1 body.data",
			conformance.Fail},
		{"body that is no object", &fake{Tamper: func(r *http.Request, code int, body any) (int, any) {
			if strings.HasSuffix(r.URL.Path, "/none") {
				return code, []any{1, nil, "x"}
			}
			return code, body
		}}, conformance.Fail, "3 body", conformance.Pass},
		{"media type", &fake{Header: header("Content-Type", "application/json;charset=utf-8")}, conformance.Fail,
			"1 headers.Content-Type", conformance.Fail},
		{"warning", &fake{Header: header("Warning", `299 - "x"`)}, conformance.Fail, "1 headers.Warning", conformance.Fail},
		{"header that does not count", &fake{Header: header("Vary", "Accept")}, conformance.Pass, "", conformance.Pass},
		{"spaces and capitals in a media type", &fake{Header: header("Content-Type", "Application/JSON")}, conformance.Pass,
			"", conformance.Pass},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			report, err := conformance.Run(t.Context(), conformance.Options{
				Server: test.server.start(t), Cases: folder("story.yaml", stories), Golden: golden,
			})
			require.NoError(t, err)
			read, ignoring := report.Results[0], report.Results[2]
			var paths []string
			for _, d := range read.Differences {
				paths = append(paths, fmt.Sprint(d.Step, " ", d.Path))
			}
			assert.Equal(t, test.paths, strings.Join(paths, ", "))
			assert.Equal(t, test.read, read.Outcome)
			assert.Equal(t, test.ignoring, ignoring.Outcome, "%v", ignoring.Differences)
			assert.Equal(t, test.read != conformance.Fail, report.OK())
		})
	}
}

func TestStrictMessages(t *testing.T) {
	server := &fake{Tamper: func(_ *http.Request, code int, body any) (int, any) {
		if code == http.StatusNotFound {
			body.(object)["message"] = "gone"
		}
		return code, body
	}}
	o := conformance.Options{Server: server.start(t), Cases: folder("story.yaml", stories), Golden: recorded(t),
		Name: "read"}
	for _, strict := range []bool{false, true} {
		o.StrictMessages = strict
		report, err := conformance.Run(t.Context(), o)
		require.NoError(t, err)
		require.Len(t, report.Results, 1)
		assert.Equal(t, conformance.Message, report.Results[0].Outcome)
		assert.Equal(t, !strict, report.OK())
		assert.Contains(t, report.Results[0].Text(false), "MSG  story/read: What was created can be read.\n  step 3 GET ")
	}
}

func TestNamespacesAreOptional(t *testing.T) {
	golden := recorded(t)
	for status, ok := range map[int]bool{http.StatusNotFound: true, http.StatusMethodNotAllowed: true,
		http.StatusForbidden: false} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			server := &fake{Instead: func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/api/v1/namespaces" {
					w.WriteHeader(status)
					return true
				}
				return false
			}}
			report, err := conformance.Run(t.Context(),
				conformance.Options{Server: server.start(t), Cases: folder("story.yaml", stories), Golden: golden})
			require.NoError(t, err)
			assert.Equal(t, ok, report.OK())
			if !ok {
				assert.Contains(t, report.Results[0].Error, "creating namespace cf-")
			}
		})
	}
}

func TestRunSelects(t *testing.T) {
	cases := folder("one.yaml", oneCase("a", "[quirk]")+oneCaseMore("ab", "[old-version]"), "two.yaml", oneCase("a", "[]"))
	for _, test := range []struct {
		name string
		o    conformance.Options
		want []string
	}{
		{"all", conformance.Options{}, []string{"one/a", "one/ab", "two/a"}},
		{"an area", conformance.Options{Areas: []string{"two"}}, []string{"two/a"}},
		{"a name", conformance.Options{Name: "b"}, []string{"one/ab"}},
		{"without a tag", conformance.Options{SkipTags: []string{"quirk", "none"}}, []string{"one/ab", "two/a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server, dir := &fake{}, t.TempDir()
			test.o.Server, test.o.Cases = server.start(t), cases
			_, err := conformance.Record(t.Context(), test.o, nil, dir)
			require.NoError(t, err)
			test.o.Golden = os.DirFS(dir)
			report, err := conformance.Run(t.Context(), test.o)
			require.NoError(t, err)
			var got []string
			for _, r := range report.Results {
				got = append(got, r.ID())
			}
			assert.Equal(t, test.want, got)
		})
	}
}

func oneCase(name, tags string) string { return "cases:\n" + oneCaseMore(name, tags) }

func oneCaseMore(name, tags string) string {
	return fmt.Sprintf("- name: %s\n  doc: Something is served.\n  tags: %s\n  steps: [{do: GET /api}]\n", name, tags)
}

// Recording some cases keeps the transcripts of the others.
func TestRecordSome(t *testing.T) {
	server, dir := &fake{}, t.TempDir()
	o := conformance.Options{Server: server.start(t), Cases: folder("one.yaml", oneCase("a", "[]")+oneCaseMore("b", "[]"))}
	_, err := conformance.Record(t.Context(), o, nil, dir)
	require.NoError(t, err)
	before := t.TempDir()
	require.NoError(t, os.CopyFS(before, os.DirFS(dir)))

	server.Tamper = func(_ *http.Request, code int, _ any) (int, any) { return code, object{"changed": true} }
	o.Name = "b"
	done, err := conformance.Record(t.Context(), o, nil, dir)
	require.NoError(t, err)
	require.Equal(t, 1, done.Cases)
	differences, err := conformance.CompareRecordings(os.DirFS(before), os.DirFS(dir))
	require.NoError(t, err)
	require.NotEmpty(t, differences)
	for _, d := range differences {
		assert.True(t, strings.HasPrefix(d, "one/b step 1 GET /api"), d)
	}
	same, err := conformance.CompareRecordings(os.DirFS(dir), os.DirFS(dir))
	require.NoError(t, err)
	assert.Empty(t, same)
}

func TestRunErrors(t *testing.T) {
	server := &fake{}
	url, golden := server.start(t), recorded(t)
	cases := folder("story.yaml", stories)
	for _, test := range []struct {
		name string
		o    conformance.Options
		want string
	}{
		{"no server", conformance.Options{}, "is not a URL"},
		{"not a URL", conformance.Options{Server: "localhost"}, "is not a URL"},
		{"nobody there", conformance.Options{Server: "http://127.0.0.1:1"},
			"the server does not answer: GET http://127.0.0.1:1/api: "},
		{"nothing selected", conformance.Options{Server: url, Name: "nonesuch"}, "no cases selected"},
		{"no cases", conformance.Options{Server: url, Cases: fstest.MapFS{}}, "no case files"},
		{"no golden file", conformance.Options{Server: url, Cases: folder("other.yaml", oneCase("a", "[]"))},
			"open other.json"},
		{"golden file without cases", conformance.Options{Server: url, Golden: folder("story.json", `{}`)},
			"story.json: no cases"},
		{"golden file of another form",
			conformance.Options{Server: url, Golden: folder("story.json", `{"cases":{"read":[1]}}`)},
			"story.json: read: a response is an object"},
		{"known failure of an unknown case", conformance.Options{Server: url, Known: conformance.Known{
			Pending: []conformance.Pending{{Reason: "x", Cases: []string{"story/raed"}}},
		}}, "story/raed, which is no case"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.o.Cases == nil {
				test.o.Cases = cases
			}
			if test.o.Golden == nil {
				test.o.Golden = golden
			}
			_, err := conformance.Run(t.Context(), test.o)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestCaseThatIsNotRecorded(t *testing.T) {
	server := &fake{}
	report, err := conformance.Run(t.Context(), conformance.Options{
		Server: server.start(t), Cases: folder("one.yaml", oneCase("new", "[]")), Golden: folder("one.json", `{"cases":{}}`),
	})
	require.NoError(t, err)
	assert.Equal(t, "FAIL one/new: no golden transcript for this case\n", report.Results[0].Text(false))
}

// A run ends with its context, even while a server keeps a request open.
func TestRunEndsWithItsContext(t *testing.T) {
	golden := recorded(t)
	for _, kind := range []string{"/configmaps/a", "watch=1"} {
		t.Run(kind, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			server := &fake{Instead: func(_ http.ResponseWriter, r *http.Request) bool {
				if !strings.Contains(r.URL.String(), kind) {
					return false
				}
				cancel(nil)
				<-r.Context().Done()
				return true
			}}
			observed := 0
			_, err := conformance.Run(ctx, conformance.Options{
				Server: server.start(t), Cases: folder("story.yaml", stories), Golden: golden, Jobs: 3,
				Observe: func(conformance.Result) { observed++ },
			})
			require.ErrorIs(t, err, context.Canceled)
			assert.Less(t, observed, 3, "a case that the context ended has no result")
		})
	}
}

// If a server does not answer one request, that case fails after the timeout, but the run
// continues.
func TestTimeout(t *testing.T) {
	t.Parallel()
	golden := recorded(t)
	server := &fake{Instead: func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/none") {
			<-r.Context().Done()
			return true
		}
		return false
	}}
	var report conformance.Report
	for timeout := time.Second; ; timeout *= 4 {
		var err error
		report, err = conformance.Run(t.Context(), conformance.Options{
			Server: server.start(t), Cases: folder("story.yaml", stories), Golden: golden, Timeout: timeout,
		})
		require.NoError(t, err)
		if timeout > time.Minute || strings.Contains(report.Results[0].Error, "step 3: ") {
			break
		} // on a busy machine, an earlier request was not answered in time either
	}
	assert.Contains(t, report.Results[0].Error, "step 3: GET http://")
	assert.Contains(t, report.Results[0].Error, "deadline exceeded")
	assert.Equal(t, 1, report.Total().Failed)
}
