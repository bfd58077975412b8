package resttest_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

// The server answers each code as the API would.
func TestFaultsAreStatuses(t *testing.T) {
	tests := []struct {
		code       int
		method     string
		retryAfter time.Duration
		reason     status.Reason
		message    string
		header     string
	}{
		{400, "PUT", 0, status.ReasonBadRequest, "", ""},
		{401, "PUT", 0, status.ReasonUnauthorized, "Unauthorized", ""},
		{403, "PUT", 0, status.ReasonForbidden,
			`ships.fleet.example.com "a" is forbidden: a fault that the test has injected`, ""},
		{404, "PUT", 0, status.ReasonNotFound, `ships.fleet.example.com "a" not found`, ""},
		{405, "PUT", 0, status.ReasonMethodNotAllowed, "", ""},
		{409, "PUT", 0, status.ReasonConflict,
			`Operation cannot be fulfilled on ships.fleet.example.com "a": the object has been modified; please apply your changes to the latest version and try again`, ""},
		{409, "POST", 0, status.ReasonAlreadyExists, `ships.fleet.example.com "a" already exists`, ""},
		{410, "PUT", 0, status.ReasonExpired, "", ""},
		{418, "PUT", 0, status.ReasonUnknown, "", ""},
		{429, "PUT", 0, status.ReasonTooManyRequests, "", "1"},
		{429, "PUT", 7 * time.Second, status.ReasonTooManyRequests, "", "7"},
		{500, "PUT", 0, status.ReasonInternalError, "", ""},
		{500, "PUT", 2 * time.Second, status.ReasonInternalError, "", "2"},
		{503, "PUT", 3 * time.Second, status.ReasonServiceUnavailable, "", "3"},
		{504, "PUT", 4 * time.Second, status.ReasonTimeout, "", "4"},
	}
	for _, tt := range tests {
		t.Run(strconv.Itoa(tt.code)+" "+tt.method, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s *resttest.Server, c *http.Client, base string) {
				s.Inject(resttest.Fault{Code: tt.code, RetryAfter: tt.retryAfter})
				url := base + shipsPath
				if tt.method == "PUT" {
					url += "/a"
				}
				a := mustSend(t, c, tt.method, url, shipJSON("a"))
				assert.Equal(t, tt.code, a.code)
				assert.Equal(t, "application/json", a.header.Get("Content-Type"))
				assert.Equal(t, tt.header, a.header.Get("Retry-After"))
				var got status.Status
				require.NoError(t, json.Unmarshal([]byte(a.body), &got))
				assert.Equal(t, "Status", got.Kind)
				assert.Equal(t, tt.reason, got.Reason)
				assert.Equal(t, tt.code, int(got.Code))
				if tt.message != "" {
					assert.Equal(t, tt.message, got.Message)
				}
				require.Len(t, s.Requests(), 1)
				assert.True(t, s.Requests()[0].Fault)
				assert.Equal(t, tt.code, s.Requests()[0].Code)
				assert.Equal(t, "1", s.ResourceVersion(), "the store is unchanged")
			})
		})
	}
}

func TestFaultOfAnErrorOfTheTests(t *testing.T) {
	s, _ := fleet(t)
	s.Inject(resttest.Fault{Error: status.Unauthorized("who are you?")})
	a := mustSend(t, &http.Client{Transport: s.RoundTripper()}, "GET", "http://resttest"+shipsPath, "")
	assert.Equal(t, http.StatusUnauthorized, a.code)
	assert.Contains(t, a.body, "who are you?")
}

// The matching requests meet a fault, as often as it says.
func TestFaultsMeetWhatTheyAreAbout(t *testing.T) {
	get := func(path string) [2]string { return [2]string{"GET", path} }
	patch := func(path string) [2]string { return [2]string{"PATCH", path} }
	other := "/apis/fleet.example.com/v1/namespaces/other/ships"
	tests := []struct {
		name     string
		fault    resttest.Fault
		requests [][2]string
		want     []bool // whether each request meets it
	}{
		{"once", resttest.Fault{}, [][2]string{get(shipsPath), get(shipsPath)}, []bool{true, false}},
		{"twice", resttest.Fault{Times: 2}, [][2]string{get(shipsPath), get("/version"), get(shipsPath)},
			[]bool{true, true, false}},
		{"always", resttest.Fault{Times: resttest.Always}, [][2]string{get(shipsPath), get(shipsPath)}, []bool{true, true}},
		{"Skip lets the first pass", resttest.Fault{Skip: 1}, [][2]string{get(shipsPath), get(shipsPath), get(shipsPath)},
			[]bool{false, true, false}},
		{"a verb", resttest.Fault{Verb: access.VerbGet}, [][2]string{get(shipsPath), get(shipsPath + "/a")},
			[]bool{false, true}},
		{"a custom verb", resttest.Fault{Verb: access.VerbUpdate},
			[][2]string{patch(shipsPath + "/a"), {"PUT", shipsPath + "/a"}}, []bool{false, true}},
		{"a resource", resttest.Fault{Resource: "ships"},
			[][2]string{get("/apis/a.b/v1/boats"), patch(shipsPath + "/a/status"), get(shipsPath)}, []bool{false, false, true}},
		{"a subresource", resttest.Fault{Resource: "ships/status"},
			[][2]string{patch(shipsPath + "/a"), patch(shipsPath + "/a/status")}, []bool{false, true}},
		{"a namespace", resttest.Fault{Namespace: "other"},
			[][2]string{get(shipsPath), get(other), get("/apis/fleet.example.com/v1/ships")}, []bool{false, true, false}},
		{"a name", resttest.Fault{Name: "b"}, [][2]string{get(shipsPath + "/a"), get(shipsPath), get(other + "/b")},
			[]bool{false, false, true}},
		{"all fields", resttest.Fault{Verb: access.VerbPatch, Resource: "ships/status", Namespace: "default", Name: "b"},
			[][2]string{patch(shipsPath + "/a/status"), patch(other + "/b/status"), patch(shipsPath + "/b"),
				patch(shipsPath + "/b/status")},
			[]bool{false, false, false, true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := fleet(t)
			tt.fault.Code = http.StatusTeapot
			s.Inject(tt.fault)
			var met []bool
			for _, r := range tt.requests {
				body := ""
				if r[0] != "GET" {
					body = "{}"
				}
				a := mustSend(t, &http.Client{Transport: s.RoundTripper()}, r[0], "http://resttest"+r[1], body)
				met = append(met, a.code == http.StatusTeapot)
				assert.Equal(t, a.code == http.StatusTeapot, s.Requests()[len(met)-1].Fault)
			}
			assert.Equal(t, tt.want, met)
		})
	}
}

// Requests meet several faults in the order of injection.
func TestFaultsComeOneAfterTheOther(t *testing.T) {
	s, _ := fleet(t)
	c := &http.Client{Transport: s.RoundTripper()}
	for _, code := range []int{429, 500, 503} {
		s.Inject(resttest.Fault{Code: code})
	}
	var codes []int
	for range 4 {
		codes = append(codes, mustSend(t, c, "GET", "http://resttest"+shipsPath, "").code)
	}
	assert.Equal(t, []int{429, 500, 503, 200}, codes)

	s.Inject(resttest.Fault{Code: 500, Times: resttest.Always})
	s.ClearFaults()
	assert.Equal(t, http.StatusOK, mustSend(t, c, "GET", "http://resttest"+shipsPath, "").code)
}

func TestDroppedConnection(t *testing.T) {
	eachWay(t, func(t *testing.T, s *resttest.Server, c *http.Client, base string) {
		s.Inject(resttest.Fault{Verb: access.VerbCreate, Drop: true})
		_, err := send(t, c, "POST", base+shipsPath, shipJSON("a"))
		require.ErrorIs(t, err, io.EOF)
		require.Len(t, s.Requests(), 1)
		assert.Zero(t, s.Requests()[0].Code)
		assert.Equal(t, "1", s.ResourceVersion(), "the store is unchanged")
		assert.Equal(t, http.StatusCreated, mustSend(t, c, "POST", base+shipsPath, shipJSON("a")).code)
	})
}

// A late request was carried out. The client does not know that, but its second try finds the object.
func TestLateFaults(t *testing.T) {
	for name, fault := range map[string]resttest.Fault{
		"the answer is lost":    {Late: true, Drop: true},
		"the answer is another": {Late: true, Code: http.StatusGatewayTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s *resttest.Server, c *http.Client, base string) {
				s.Inject(fault)
				a, err := send(t, c, "POST", base+shipsPath, shipJSON("a"))
				if fault.Drop {
					require.ErrorIs(t, err, io.EOF)
				} else {
					require.NoError(t, err)
					require.Equal(t, fault.Code, a.code)
				}
				assert.Equal(t, http.StatusConflict, mustSend(t, c, "POST", base+shipsPath, shipJSON("a")).code,
					"the object exists already")
			})
		})
	}
}

func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := fleet(t)
		c := &http.Client{Transport: s.RoundTripper()}
		s.Inject(resttest.Fault{Delay: 3 * time.Second, Code: 503})
		began := time.Now()
		assert.Equal(t, 503, mustSend(t, c, "GET", "http://resttest"+shipsPath, "").code)
		assert.Equal(t, 3*time.Second, time.Since(began))

		s.Inject(resttest.Fault{Delay: time.Hour})
		c.Timeout = time.Second
		_, err := send(t, c, "GET", "http://resttest"+shipsPath, "")
		var timeout interface{ Timeout() bool }
		require.ErrorAs(t, err, &timeout)
		assert.True(t, timeout.Timeout(), "the client has given up")
	})
}

// watchOf starts a watch. The returned function returns the next event as type and name, and at the end the error of
// the reader.
func watchOf(t *testing.T, c *http.Client, url string) func() (string, error) {
	t.Helper()
	answer, err := c.Get(url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
	lines := bufio.NewReader(answer.Body)
	return func() (string, error) {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return "", err
		}
		var event struct {
			Type   string
			Object struct {
				Metadata struct{ Name string }
				Code     int
			}
		}
		require.NoError(t, json.Unmarshal(line, &event), "%s", line)
		if event.Object.Code != 0 {
			return event.Type + " " + strconv.Itoa(event.Object.Code), nil
		}
		return event.Type + " " + event.Object.Metadata.Name, nil
	}
}

// A watch sends some events and ends as the fault says.
func TestWatchesAreCut(t *testing.T) {
	tests := []struct {
		name  string
		fault resttest.Fault
		want  []string
		end   error
	}{
		{"at once", resttest.Fault{}, nil, io.EOF},
		{"410 at once", resttest.Fault{Code: 410}, []string{"ERROR 410"}, io.EOF},
		{"the test's own 410 error", resttest.Fault{Error: status.Expired("gone")}, []string{"ERROR 410"}, io.EOF},
		{"after two", resttest.Fault{Events: 2}, []string{"ADDED a", "ADDED b"}, io.EOF},
		{"410 after two", resttest.Fault{Events: 2, Code: 410}, []string{"ADDED a", "ADDED b", "ERROR 410"}, io.EOF},
		{"500 after one", resttest.Fault{Events: 1, Code: 500}, []string{"ADDED a", "ERROR 500"}, io.EOF},
		{"410 after later events", resttest.Fault{Events: 4, Code: 410},
			[]string{"ADDED a", "ADDED b", "ADDED c", "DELETED a", "ERROR 410"}, io.EOF},
		{"broken after two", resttest.Fault{Events: 2, Drop: true}, []string{"ADDED a", "ADDED b"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s *resttest.Server, c *http.Client, base string) {
				own := resttest.Client[Ship](t, s.API).Namespace("default")
				for _, name := range []string{"a", "b", "c"} {
					mustCreate(t, own, name)
				}
				tt.fault.Verb = access.VerbWatch
				s.Inject(tt.fault)
				// The bookmark at the end of the initial events does not count.
				next := watchOf(t, c, base+shipsPath+
					"?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan")
				var got []string
				var err error
				for {
					var event string
					if event, err = next(); err != nil {
						break
					}
					if event == "BOOKMARK " {
						require.NoError(t, own.Delete(t.Context(), "a", rest.DeleteOptions{}))
						continue
					}
					got = append(got, event)
				}
				assert.Equal(t, tt.want, got)
				if tt.end != nil {
					assert.Equal(t, tt.end, err)
				} else {
					assert.NotEqual(t, io.EOF, err, "the reader can tell that it was cut off")
				}
				next = watchOf(t, c, base+shipsPath+"?watch=true")
				_, err = next()
				assert.NoError(t, err, "the next watch meets no fault")
			})
		})
	}
}

// The server sends other failures in place of a stream.
func TestWatchesAreRefused(t *testing.T) {
	eachWay(t, func(t *testing.T, s *resttest.Server, c *http.Client, base string) {
		s.Inject(resttest.Fault{Verb: access.VerbWatch, Code: 429})
		a := mustSend(t, c, "GET", base+shipsPath+"?watch=true", "")
		assert.Equal(t, http.StatusTooManyRequests, a.code)
		s.Inject(resttest.Fault{Verb: access.VerbWatch, Drop: true})
		_, err := send(t, c, "GET", base+shipsPath+"?watch=true", "")
		assert.ErrorIs(t, err, io.EOF)
	})
}

func TestInvalidFaults(t *testing.T) {
	tests := []struct {
		name  string
		fault resttest.Fault
		says  string
	}{
		{"nothing", resttest.Fault{Verb: access.VerbGet}, "nothing happens"},
		{"success", resttest.Fault{Code: 200}, "200 is not a failure"},
		{"two failures", resttest.Fault{Code: 500, Error: status.BadRequest("x")}, "both"},
		{"dropped and answered", resttest.Fault{Code: 500, Drop: true}, "no answer"},
		{"events of a get", resttest.Fault{Verb: access.VerbGet, Code: 500, Events: 1}, "watch"},
		{"Late alone", resttest.Fault{Late: true, Delay: 1}, "Late"},
		{"a late watch", resttest.Fault{Verb: access.VerbWatch, Late: true, Drop: true}, "Late"},
		{"negative Times", resttest.Fault{Code: 500, Times: -2}, "negative"},
		{"a negative skip", resttest.Fault{Code: 500, Skip: -1}, "negative"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			errs := inside(t, func(t *fakeT) {
				resttest.New(t, ships()).Inject(tt.fault)
				t.Errorf("Inject has returned")
			})
			require.Len(t, errs, 1)
			assert.Contains(t, errs[0], tt.says)
		})
	}
}

// A fault that no request meets shows that the test does not test what it claims.
func TestFaultsThatNobodyMeets(t *testing.T) {
	errs := inside(t, func(t *fakeT) {
		s := resttest.New(t, ships())
		s.Inject(resttest.Fault{Verb: access.VerbUpdate, Resource: "boats", Name: "x", Code: 409})
		s.Inject(resttest.Fault{Resource: "boats", Code: 500, Times: resttest.Always})
	})
	require.Len(t, errs, 1)
	assert.Contains(t, errs[0], "update boats */x: 409")

	errs = inside(t, func(t *fakeT) {
		s := resttest.New(t, ships())
		s.Inject(resttest.Fault{Code: 409})
		s.ClearFaults()
	})
	assert.Empty(t, errs)
}

func TestFaultString(t *testing.T) {
	tests := []struct {
		fault resttest.Fault
		want  string
	}{
		{resttest.Fault{Verb: access.VerbWatch}, "watch * */*: end of stream"},
		{resttest.Fault{Resource: "ships/status", Namespace: "n", Name: "a", Delay: time.Second,
			Error: status.BadRequest("no")}, "* ships/status n/a: 1s late, 400"},
		{resttest.Fault{Drop: true}, "* * */*: connection broken"},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, tt.fault.String())
	}
}

// If a body breaks off, the API sees the same.
func TestABrokenBodyStaysBroken(t *testing.T) {
	s, _ := fleet(t)
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://resttest"+shipsPath,
		io.MultiReader(readerOf(`{"kind":`), failing{}))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	answer, err := (&http.Client{Transport: s.RoundTripper()}).Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	assert.NotEqual(t, http.StatusCreated, answer.StatusCode)
	assert.Equal(t, `{"kind":`, string(s.Requests()[0].Body))
}

func readerOf(text string) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, text)
		_ = w.Close()
	}()
	return r
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the cable is cut") }
