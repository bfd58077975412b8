package main

import (
	"net/http"
	"time"

	"github.com/decorum-go/decorum/internal/test/crdbench"
)

// definitions is the attack that creates and deletes hostile definitions.
func definitions(url string, stop <-chan struct{}) (sent int, err error) {
	hostile := crdbench.Hostile()
	for i := 0; ; i++ {
		select {
		case <-stop:
			return sent, nil
		default:
		}
		code, err := send("POST", url+crdbench.Definitions, hostile[i%len(hostile)], 0)
		if err != nil {
			return sent, err
		}
		sent++
		if code != http.StatusCreated {
			continue
		}
		path := url + crdbench.Definitions + "/" + crdbench.Plural(0) + ".example.org"
		if _, err := send("DELETE", path, "", http.StatusOK); err != nil {
			return sent, err
		}
		for code := http.StatusOK; code != http.StatusNotFound; time.Sleep(10 * time.Millisecond) {
			if code, err = send("GET", path, "", 0); err != nil {
				return sent, err
			}
		}
	}
}
