package remote

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"
)

const (
	// maxTries limits how often the client sends a request that the server answers with a Retry-After. client-go has the
	// same limit.
	maxTries = 11
	// maxAnswer limits the size of a response, in bytes.
	maxAnswer = 512 << 20
	typeJSON  = "application/json"
)

// request is a request that can be sent again.
type request struct {
	method, url string
	media       string // the media type of the body
	body        []byte
	list        bool // the answer is a list
	watch       bool // the answer has no end, so the Timeout of the http.Client does not hold
}

// answer is the response to a request. After an error it holds at most the header.
type answer struct {
	code   int
	header http.Header
	body   []byte
}

// send sends a request and reads the response.
func (c *Service) send(ctx context.Context, r request) (answer, error) {
	resp, err := c.open(ctx, r)
	if resp == nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	out := answer{code: resp.StatusCode, header: resp.Header}
	if err != nil {
		return out, err
	}
	if resp.ContentLength > maxAnswer {
		return out, tooLong()
	}
	if out.body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1)); err != nil {
		return out, ended(ctx, err)
	}
	if len(out.body) > maxAnswer {
		return out, tooLong()
	}
	return out, nil
}

func tooLong() error {
	return fmt.Errorf("the server's answer exceeds the limit of %d bytes", maxAnswer)
}

// open sends a request and returns the response, whose body the caller must close. If the server answers 429 or 503
// with a Retry-After, open waits and sends the request again. For a failed response, open returns an error too, and has
// already read and closed the body.
func (c *Service) open(ctx context.Context, r request) (*http.Response, error) {
	for tries := 1; ; tries++ {
		resp, err := c.once(ctx, r)
		if err != nil {
			return nil, ended(ctx, err)
		}
		if resp.StatusCode >= 200 && resp.StatusCode <= 299 {
			return resp, nil
		}
		failed := failureOf(r, resp)
		_ = resp.Body.Close()
		delay, asked := patience(resp)
		if !asked || tries == maxTries {
			return resp, failed
		}
		if err := sleep(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// once sends a request without retries.
func (c *Service) once(ctx context.Context, r request) (*http.Response, error) {
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, r.url, body)
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, c.Header)
	req.Header.Set("Accept", c.accept(r))
	if r.body != nil {
		req.Header.Set("Content-Type", r.media)
	}
	client := c.HTTP
	if r.watch && client.Timeout > 0 {
		endless := *client
		endless.Timeout = 0
		client = &endless
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	// For most redirects, http.Client sends a GET in place of other methods. Its success must not count as the success of
	// a write.
	if by := resp.Request; by != nil && by.Method != r.method {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("%s %s: a redirect to %s changed the method to %s", r.method, r.url, by.URL.Redacted(),
			by.Method)
	}
	return resp, nil
}

// patience returns how long the server asks the client to wait before a retry.
func patience(resp *http.Response) (delay time.Duration, asked bool) {
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
		return 0, false
	}
	seconds, err := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 31)
	return time.Duration(seconds) * time.Second, err == nil
}

// sleep waits for d. If the context ends first, sleep returns its cause.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ended returns the context's cause if the context has ended, because err is then only a consequence. Otherwise it
// returns err.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
