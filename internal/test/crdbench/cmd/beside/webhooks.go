package main

import (
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

const (
	memos          = "/apis/example.com/v1/memos"
	aMemo          = `{"apiVersion":"example.com/v1","kind":"Memo","metadata":{"generateName":"a"}}`
	configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
	// interval is the time between two writes of memos. It leaves the processors time for the load: an attack that
	// saturates them would measure the machine instead of the host.
	interval = 50 * time.Millisecond
)

// webhooks is the attack that writes memos, whose webhooks hang, lie and answer too much.
func webhooks(url string, stop <-chan struct{}) (sent int, err error) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(misbehave))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // the host gives up connections
	server.StartTLS()
	defer server.Close()
	if err := register(url, server); err != nil {
		return 0, err
	}
	failed := make(chan error, 1) // the first failure
	var writes sync.WaitGroup
	for due := time.NewTicker(interval); ; sent++ {
		select {
		case <-stop:
			due.Stop()
			writes.Wait()
			close(failed)
			_, err := send("DELETE", url+configurations+"/hostile", "", http.StatusOK)
			return sent, errors.Join(<-failed, err)
		case <-due.C:
			writes.Go(func() {
				if _, err := send("POST", url+memos, aMemo, http.StatusInternalServerError); err != nil {
					select {
					case failed <- err:
					default:
					}
				}
			})
		}
	}
}

// register creates the configuration of the webhooks. The first one refuses every write, after the others have been
// called, too.
func register(url string, server *httptest.Server) error {
	bundle := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
		Bytes: server.Certificate().Raw}))
	var hooks []string
	for _, path := range []string{"lie", "hang", "much"} {
		hooks = append(hooks, fmt.Sprintf(`{"name":"%s.example.com","clientConfig":{"url":"%s/%[1]s","caBundle":"%[3]s"},"sideEffects":"None","timeoutSeconds":1,
			"admissionReviewVersions":["v1"],"rules":[{"apiGroups":["example.com"],"apiVersions":["v1"],"resources":["memos"],"operations":["*"]}]}`,
			path, server.URL, bundle))
	}
	_, err := send("POST", url+configurations,
		`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"hostile"},
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
