package chaos_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
)

// event is an event of a watch.
type event struct {
	Type   string   `json:"type"`
	Object Register `json:"object"`
	Code   int      `json:"-"` // the code of the Status in an event of type ERROR
}

func (e event) revision() uint64 {
	n, _ := strconv.ParseUint(e.Object.ResourceVersion, 10, 64)
	return n
}

// watch passes the events after a revision to see until see returns false, the connection ends or the context ends. It
// returns the code of the answer, or of the Status that ended the watch.
func watch(ctx context.Context, url, after string, see func(event) bool) (code int) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		url+path+"?watch=true&allowWatchBookmarks=true&resourceVersion="+after, nil)
	if err != nil {
		return 0
	}
	response, err := fresh.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	for lines := bufio.NewReader(response.Body); response.StatusCode == http.StatusOK; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return response.StatusCode
		}
		var e event
		var failure struct {
			Object struct {
				Code int `json:"code"`
			} `json:"object"`
		}
		if json.Unmarshal(line, &e) != nil || json.Unmarshal(line, &failure) != nil {
			return 0
		}
		if e.Type == "ERROR" {
			return failure.Object.Code
		}
		if !see(e) {
			return response.StatusCode
		}
	}
	return response.StatusCode
}
