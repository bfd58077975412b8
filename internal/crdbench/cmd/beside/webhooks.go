package main

import (
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

const (
	memos          = "/apis/example.com/v1/memos"
	configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
	// writers is how many writes of memos are under way at a time.
	writers = 20
)

// webhooks is the attack that writes memos, whose webhooks hang, lie and answer too much.
func webhooks(url string, stop <-chan struct{}) (sent int, err error) {
	server := httptest.NewTLSServer(http.HandlerFunc(misbehave))
	defer server.Close()
	if err := register(url, server); err != nil {
		return 0, err
	}
	counts, errs := make([]int, writers), make([]error, writers)
	var running sync.WaitGroup
	for i := range writers {
		running.Go(func() {
			for errs[i] == nil {
				select {
				case <-stop:
					return
				default:
				}
				_, errs[i] = send("POST", url+memos, `{"apiVersion":"example.com/v1","kind":"Memo","metadata":{"generateName":"a"}}`, http.StatusInternalServerError)
				counts[i]++
			}
		})
	}
	running.Wait()
	for _, n := range counts {
		sent += n
	}
	_, err = send("DELETE", url+configurations+"/hostile", "", http.StatusOK)
	return sent, errors.Join(append(errs, err)...)
}

// register creates the configuration of the webhooks. The first one refuses every write, after the others have been called, too.
func register(url string, server *httptest.Server) error {
	bundle := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	var hooks []string
	for _, path := range []string{"lie", "hang", "much"} {
		hooks = append(hooks, fmt.Sprintf(`{"name":"%s.example.com","clientConfig":{"url":"%s/%[1]s","caBundle":"%[3]s"},"sideEffects":"None","timeoutSeconds":1,
			"admissionReviewVersions":["v1"],"rules":[{"apiGroups":["example.com"],"apiVersions":["v1"],"resources":["memos"],"operations":["*"]}]}`,
			path, server.URL, bundle))
	}
	_, err := send("POST", url+configurations, `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"hostile"},
		"webhooks":[`+strings.Join(hooks, ",")+`]}`, http.StatusCreated)
	return err
}

// misbehave is the server of the webhooks.
func misbehave(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // so that the server notices when the API gives up
	switch r.URL.Path {
	case "/hang":
		<-r.Context().Done()
	case "/much":
		for range 50 {
			if _, err := io.WriteString(w, strings.Repeat(" ", 1<<20)); err != nil {
				return
			}
		}
	default:
		_, _ = io.WriteString(w, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"another","allowed":true}}`)
	}
}
